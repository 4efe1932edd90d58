//! Frame of every page around its content.

use crate::ui::messages;
use proofload_language::{Language, tr};
use proofload_report::escape::html as safe;

/// The style of pages beyond that of reports.
pub const STYLE: &str = include_str!("../../assets/ui.css");

/// Script that reloads a page that changes; `cargo xtask web` builds it from `web/`.
pub const SCRIPT: &str = include_str!("../../assets/ui.js");

/// The picture in the tab of a browser.
pub const ICON: &str = include_str!("../../assets/icon.svg");

#[derive(Clone, Debug, Default)]
pub struct Content {
    /// Not escaped.
    pub title: String,
    /// Links beside the one to all runs, safe HTML.
    pub links: String,
    pub main: String,
    /// The element with the numbers of the charts; empty where there are none.
    pub charts: String,
    /// Interval in which a browser asks for changes, in seconds; `None` where it does not.
    pub follow_s: Option<u32>,
}

/// The whole page. `base` is the beginning of every address, `search` what was searched for.
pub fn page(base: &str, content: &Content, search: &str, etag: &str) -> String {
    let Content { title, links, main, charts, follow_s } = content;
    let follow = match follow_s {
        Some(seconds) => format!(
            " data-follow=\"{seconds}\" data-etag=\"{}\" data-lost=\"{}\" data-failed=\"{}\"",
            safe(etag),
            safe(&messages::LOST),
            safe(tr!("ui-failed-since"))
        ),
        None => String::new(),
    };
    // A page that is followed may have charts later.
    let drawn = match charts.is_empty() && follow_s.is_none() {
        true => String::new(),
        false => format!("<script src=\"{base}/report.js\" defer></script>\n"),
    };
    format!(
        "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} – Proofload</title>\n\
         <link rel=\"icon\" type=\"image/svg+xml\" href=\"{base}/icon.svg\">\n<link rel=\"stylesheet\" href=\"{base}/ui.css\">\n\
         {drawn}<script src=\"{base}/ui.js\" defer></script>\n</head>\n<body>\n\
         <nav class=\"site\"><a href=\"{base}/\">{all}</a>{links}<form action=\"{base}/\" role=\"search\">\
         <input type=\"search\" name=\"q\" aria-label=\"{label}\" placeholder=\"{words}\" value=\"{search}\">\
         <button>{label}</button></form></nav>\n\
         <p id=\"lost\" role=\"status\"></p>\n<main{follow}>\n{main}</main>\n{charts}</body>\n</html>\n",
        lang = Language::spoken().tag(),
        title = safe(title),
        all = tr!("ui-all-runs"),
        label = tr!("ui-search"),
        words = tr!("ui-search-for"),
        search = safe(search),
    )
}

/// A page with a single sentence.
pub fn saying(title: &str, sentence: &str) -> Content {
    let main = format!("<header><h1>{}</h1><p>{}</p></header>\n", safe(title), safe(sentence));
    Content { title: title.to_string(), main, ..Content::default() }
}

/// A table whose cells are safe HTML.
pub fn table(class: &str, title: &str, header: &[&str], rows: &str) -> String {
    let header: String = header.iter().map(|name| format!("<th scope=\"col\">{}</th>", safe(name))).collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"{class}\"><thead><tr>{header}</tr></thead>\
         <tbody>\n{rows}</tbody></table></div>\n",
        safe(title)
    )
}
