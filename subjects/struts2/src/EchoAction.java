package subject;

import java.io.IOException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.struts2.ServletActionContext;

/** The echo as an action: Struts makes one for each request, gives it the parameter t, and calls its method by name. */
public class EchoAction {
    /** What it answers. Struts takes no action without a package, and what has none cannot be named from here. */
    public static Answer answer;

    private String text;

    /** Answers a request with the parameter t. */
    public interface Answer {
        void to(HttpServletRequest request, HttpServletResponse response, String text) throws IOException;
    }

    /*parameter*/
    public void setT(String text) {
        this.text = text;
    }

    public String echo() throws IOException {
        answer.to(ServletActionContext.getRequest(), ServletActionContext.getResponse(), text);
        // The answer is written; there is no page to show.
        return "none";
    }
}
