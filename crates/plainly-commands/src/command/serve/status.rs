//! The status page: one page of HTML without scripts, made for each request.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use plainly::server::{Health, Server};

use super::recent::{RECENT, RecentActivity, RecentState};

/// The page, with placeholders for its title and its body.
const PAGE: &str = include_str!("status.html");

/// The constant facts about the server.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) name: String,
    /// The endpoint, or a description of the stream.
    pub(super) at: String,
    pub(super) mounts: Vec<String>,
}

pub(super) fn page(
    server: &Server,
    activity: Option<&RecentActivity>,
    served: &Served,
    health: Health,
) -> String {
    let mut body = Markup::default();
    body.raw(match health {
        Health::Ready => "<p>Ready at ",
        Health::Degraded => "<p class=bad>Ready, without the other replicas, at ",
        Health::NotReady => "<p class=bad>Not ready, at ",
    });
    body.text(&served.at);
    body.raw("</p><p class=quiet>Serves ");
    body.text(&served.mounts.join(", "));
    body.raw(". plainly ");
    body.text(env!("CARGO_PKG_VERSION"));
    body.raw(". Metrics for Prometheus are at <a href=\"/metrics\">/metrics</a>.</p>");
    if let Some(activity) = activity {
        let state = activity.lock();
        summary(&mut body, &state);
        methods(&mut body, &state);
        failures(&mut body, &state);
        clients(&mut body, &state);
    }
    limits(&mut body, server);
    replicas(&mut body, server);
    let mut title = Markup::default();
    title.text(&served.name);
    PAGE.replace("{title}", &title.0).replace("{body}", &body.0)
}

fn summary(html: &mut Markup, state: &RecentState) {
    let requests: u64 = state.methods.values().map(|it| it.requests).sum();
    let failures: u64 = state.methods.values().map(|it| it.failures).sum();
    let rate = state.recent() as f64 / RECENT as f64;
    html.raw("<dl>");
    for (name, value) in [
        ("Running for", time(state.started.elapsed())),
        ("Requests", requests.to_string()),
        ("Per second, last minute", format!("{rate:.1}")),
        ("Failures", failures.to_string()),
    ] {
        html.raw("<div><dt>");
        html.text(name);
        html.raw("</dt><dd>");
        html.text(&value);
        html.raw("</dd></div>");
    }
    html.raw("</dl>");
}

fn methods(html: &mut Markup, state: &RecentState) {
    let mut methods: Vec<_> = state.methods.iter().collect();
    methods.sort_by_key(|(_, it)| std::cmp::Reverse(it.longest));
    let columns = [
        "Method",
        "Requests",
        "Failures",
        "Mistakes of clients",
        "Mean",
        "Longest",
    ];
    table(
        html,
        "Methods, the slowest first",
        &columns,
        1,
        &methods,
        |html, (name, it)| {
            let mean = it.total / u32::try_from(it.requests.max(1)).unwrap_or(u32::MAX);
            html.heading(name);
            html.number(&it.requests.to_string());
            html.number(&it.failures.to_string());
            html.number(&it.mistakes.to_string());
            html.number(&milliseconds(mean));
            html.number(&milliseconds(it.longest));
        },
    );
}

fn failures(html: &mut Markup, state: &RecentState) {
    let failures: Vec<_> = state.failures.iter().collect();
    let columns = ["Time", "Request", "What failed", "What to do"];
    table(html, "Last failures", &columns, 4, &failures, |html, it| {
        let at = Timestamp::try_from(it.at).map(|at| at.strftime("%F %T UTC").to_string());
        html.heading(&at.unwrap_or_default());
        let request = match &it.name {
            Some(name) => format!("{} {name}", it.method),
            None => it.method.clone(),
        };
        html.cell(&request);
        let code = it.code.map(|code| format!(" ({code})")).unwrap_or_default();
        let incident = it.incident.as_ref();
        let incident = incident.map(|it| format!("; the log has incident {it}"));
        html.cell(&format!(
            "{}{code}{}",
            it.message,
            incident.unwrap_or_default()
        ));
        let advice = match (it.is_mistake, &it.advice) {
            (true, Some(advice)) => format!("The client: {advice}"),
            (false, Some(advice)) => advice.clone(),
            (_, None) => "read the reply of the tool".to_owned(),
        };
        html.cell(&advice);
    });
}

fn clients(html: &mut Markup, state: &RecentState) {
    let now = Instant::now();
    let columns = [
        "Client",
        "Principal",
        "Address",
        "Revision",
        "Requests",
        "Last request",
    ];
    table(
        html,
        "Clients, the last heard first",
        &columns,
        4,
        &state.clients(),
        |html, it| {
            html.heading(&it.name);
            html.cell(it.principal.as_deref().unwrap_or("not authenticated"));
            let address = it.address.map(|address| address.to_string());
            html.cell(address.as_deref().unwrap_or("standard input"));
            html.cell(it.revision);
            html.number(&it.requests.to_string());
            html.number(&format!("{} ago", time(now.duration_since(it.last))));
        },
    );
}

fn limits(html: &mut Markup, server: &Server) {
    let mut usage = server.usage();
    usage.sort_by_key(|it| std::cmp::Reverse(it.used.saturating_mul(1_000) / it.limit.max(1)));
    let columns = ["Limit", "Used", "Of", "Share"];
    table(
        html,
        "Limits, the nearest first",
        &columns,
        1,
        &usage,
        |html, it| {
            let share = it.used as f64 * 100.0 / it.limit.max(1) as f64;
            html.heading(&it.name.replace('_', " "));
            html.number(&it.used.to_string());
            html.number(&it.limit.to_string());
            let width = share.min(100.0);
            html.raw(&format!(
            "<td class=number><span class=bar><i style=\"width:{width:.0}%\"></i></span>{share:.1} %</td>"
        ));
        },
    );
}

/// The traffic with other replicas, if the server is one of several.
fn replicas(html: &mut Markup, server: &Server) {
    let Some(is_connected) = server.is_engine_connected() else {
        return;
    };
    let counts = server.replica_counts().into_iter();
    let counts = counts.filter(|it| it.count > 0).collect::<Vec<_>>();
    let columns = ["With other replicas", "Outcome", "Times"];
    let title = match is_connected {
        true => "Replicas, connected",
        false => "Replicas, without a connection",
    };
    table(html, title, &columns, 2, &counts, |html, it| {
        html.heading(it.kind);
        html.cell(&it.outcome.replace('_', " "));
        html.number(&it.count.to_string());
    });
}

/// A table. The columns from `numbers` on contain numbers.
fn table<T>(
    html: &mut Markup,
    title: &str,
    columns: &[&str],
    numbers: usize,
    rows: &[T],
    row: impl Fn(&mut Markup, &T),
) {
    html.raw("<h2>");
    html.text(title);
    html.raw("</h2>");
    if rows.is_empty() {
        html.raw("<p class=quiet>None yet.</p>");
        return;
    }
    // Elements with focus can be scrolled with the keyboard.
    html.raw("<div class=wide tabindex=0 role=region aria-label=\"");
    html.text(title);
    html.raw("\"><table");
    // On a small screen, texts are arranged below each other.
    html.raw(if numbers > 1 { " class=text" } else { "" });
    html.raw("><thead><tr>");
    for (at, column) in columns.iter().enumerate() {
        html.raw(if at < numbers {
            "<th scope=col>"
        } else {
            "<th scope=col class=number>"
        });
        html.text(column);
        html.raw("</th>");
    }
    html.raw("</tr></thead><tbody>");
    for it in rows {
        html.raw("<tr>");
        row(html, it);
        html.raw("</tr>");
    }
    html.raw("</tbody></table></div>");
}

/// HTML, in which texts of other parties are escaped.
#[derive(Default)]
struct Markup(String);

impl Markup {
    fn raw(&mut self, html: &str) {
        self.0.push_str(html);
    }

    fn text(&mut self, text: &str) {
        for character in crate::visible::visible(text).chars() {
            match character {
                '&' => self.raw("&amp;"),
                '<' => self.raw("&lt;"),
                '>' => self.raw("&gt;"),
                '"' => self.raw("&quot;"),
                '\'' => self.raw("&#39;"),
                // Escaped, so that no text can contain a placeholder of the page.
                '{' => self.raw("&#123;"),
                other => self.0.push(other),
            }
        }
    }

    fn heading(&mut self, text: &str) {
        self.raw("<th scope=row>");
        self.text(text);
        self.raw("</th>");
    }

    fn cell(&mut self, text: &str) {
        self.raw("<td>");
        self.text(text);
        self.raw("</td>");
    }

    fn number(&mut self, text: &str) {
        self.raw("<td class=number>");
        self.text(text);
        self.raw("</td>");
    }
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1e3)
}

/// A time in its two largest units.
pub(crate) fn time(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = match (days, hours, minutes) {
        (0, 0, 0) => write!(text, "{seconds} s"),
        (0, 0, _) => write!(text, "{minutes} min {} s", seconds % 60),
        (0, _, _) => write!(text, "{hours} h {minutes} min"),
        (_, _, _) => write!(text, "{days} d {hours} h"),
    };
    text
}
