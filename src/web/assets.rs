//! The files of the page, and the content security policies that the server sends with them.

use crate::report::{BOARD_SCRIPT, CHART_SCRIPT, CHART_STYLE, PAGE_STYLE, VIEWER_STYLE};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The page's scripts, each with its name.
const SCRIPTS: [(&str, &str); 12] = [
    ("board.js", BOARD_SCRIPT),
    ("moves_by_rating.js", CHART_SCRIPT),
    ("likely_moves.js", include_str!("likely_moves.js")),
    ("memory.js", include_str!("memory.js")),
    ("server.js", include_str!("server.js")),
    ("sound.js", include_str!("sound.js")),
    ("premove.js", include_str!("premove.js")),
    ("page.js", include_str!("page.js")),
    ("input.js", include_str!("input.js")),
    ("actions.js", include_str!("actions.js")),
    ("setup.js", include_str!("setup.js")),
    ("study.js", include_str!("study.js")),
];

pub const HTML: &str = "text/html; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// The page's content security policy: it communicates only with this server.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The policy of an analysis page. The page is self-contained, so it may not load anything. The
/// sandbox gives it its own origin, so that it cannot access the board page.
pub const SANDBOX: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; \
    style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The page that the browser shows instead of a report that is no longer available. It links to the board.
pub const NO_REPORT: &str = "<!doctype html>\n<html lang=\"en\">\n<title>Stopdown</title>\n\
    <p>This report is no longer available. To see it again, analyse the games again.</p>\n\
    <p><a href=\"./\">Back to the board</a></p>\n</html>\n";

/// Returns the media type and the text of the file with this name. The page itself has no name.
pub fn asset(name: &str) -> Option<(&'static str, String)> {
    match name {
        "" => Some((HTML, PAGE.to_owned())),
        "page.css" => Some((
            "text/css; charset=utf-8",
            [PAGE_STYLE, VIEWER_STYLE, CHART_STYLE, STYLE].concat(),
        )),
        _ => {
            let (_, script) = SCRIPTS.iter().find(|(script, _)| *script == name)?;
            Some((JAVASCRIPT, (*script).to_owned()))
        }
    }
}
