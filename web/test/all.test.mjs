// All tests, in one browser.

import "./report.test.mjs";
import "./ui.test.mjs";
