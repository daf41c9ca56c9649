//! Reads the flat form of one profile, drives a controller with it and reports the first difference. To be copied; no dependencies.
//! Strict: a line whose members are not exactly those of pages/flat-format.md is refused.

const EVENTS: [(&str, &str); 11] = [
    ("sent", " packets bytes bytes_in_flight app_limited retransmits"),
    ("ack", " packets bytes bytes_in_flight next_packet app_limited latest_rtt_ns min_rtt_ns smoothed_rtt_ns \
        ack_delay_ns oldest_unacked_packet"),
    ("lost", " packets bytes bytes_in_flight next_packet"),
    ("ce", " packet sent_t_ns ce_count"),
    ("backlog", " queued_bytes receive_window_bytes latest_rtt_ns"),
    ("saved_path", " saved_cwnd_bytes saved_rtt_ns endpoint_matches in_use expires_t_ns max_jump_bytes \
        beta_numerator beta_denominator"),
    ("persistent_congestion", ""), ("pto", ""), ("path_change", ""), ("spurious_loss", ""), ("idle_restart", ""),
];

/// A value. Observables are compared as such: `Json::Null` is an infinite threshold.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(u64),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    /// A member that is there.
    pub fn get(&self, name: &str) -> &Json {
        self.find(name).unwrap_or_else(|| panic!("no member {name}"))
    }
    pub fn find(&self, name: &str) -> Option<&Json> {
        let Json::Map(members) = self else { panic!("{self:?} has no members") };
        members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }
    pub fn number(&self) -> u64 { self.number_or_none().expect("a number") }
    pub fn number_or_none(&self) -> Option<u64> { if let Json::Number(n) = self { Some(*n) } else { None } }
    pub fn text(&self) -> &str { if let Json::Text(text) = self { text } else { panic!("{self:?} is no text") } }
    pub fn list(&self) -> &[Json] { if let Json::List(items) = self { items } else { panic!("{self:?} is no list") } }
    /// Runs as `[first, last, size_bytes, sent_t_ns]`.
    pub fn runs(&self) -> impl Iterator<Item = [u64; 4]> + '_ {
        self.list().iter().map(|run| std::array::from_fn(|i| run.list()[i].number()))
    }
}

struct Scanner<'a>(&'a str);

impl Scanner<'_> {
    fn take(&mut self, token: &str) -> bool {
        self.0.strip_prefix(token).map(|rest| self.0 = rest).is_some()
    }
    /// Take a comma or colon and the blanks behind it, which messages of the adapter protocol may have.
    fn separator(&mut self, token: &str) -> bool {
        self.take(token) && { self.0 = self.0.trim_start(); true }
    }
    fn value(&mut self) -> Result<Json, String> {
        for (token, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))] {
            if self.take(token) { return Ok(value) }
        }
        if self.take("[") { return self.items("]", Self::value).map(Json::List) }
        if self.take("{") { return self.items("}", Self::member).map(Json::Map) }
        if self.0.starts_with('"') { return self.text().map(Json::Text) }
        let (digits, rest) = self.0.split_at(self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len()));
        self.0 = rest;
        digits.parse().map(Json::Number).map_err(|_| self.error("a number of 64 bits"))
    }
    fn member(&mut self) -> Result<(String, Json), String> {
        let key = self.text()?;
        if self.separator(":") { Ok((key, self.value()?)) } else { Err(self.error("a colon")) }
    }
    fn text(&mut self) -> Result<String, String> {
        if !self.take("\"") { return Err(self.error("a text")) }
        let mut text = String::new();
        while !self.take("\"") {
            self.take("\\"); // only \" and \\ occur
            let next = self.0.chars().next().ok_or("the text does not end")?;
            self.0 = &self.0[next.len_utf8()..];
            text.push(next);
        }
        Ok(text)
    }
    fn items<T>(&mut self, close: &str, one: impl Fn(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        let mut items = Vec::new();
        while !self.take(close) {
            if !items.is_empty() && !self.separator(",") { return Err(self.error("a comma")) }
            items.push(one(self)?);
        }
        Ok(items)
    }
    fn error(&self, wanted: &str) -> String { format!("{wanted} is needed at {:.40}", self.0) }
}

fn members(value: &Json, names: &str) -> Result<(), String> {
    let Json::Map(members) = value else { return Err("is no object".into()) };
    let found: Vec<_> = members.iter().map(|(key, _)| key.as_str()).collect();
    if found.iter().copied().eq(names.split_whitespace()) { return Ok(()) }
    Err(format!("members are {found:?} instead of {names}"))
}

/// Read the value of a whole line.
pub fn parse(text: &str) -> Result<Json, String> {
    let mut scanner = Scanner(text);
    let value = scanner.value()?;
    if scanner.0.is_empty() { Ok(value) } else { Err(scanner.error("the end of the line")) }
}

fn read_line(text: &str, names: &str) -> Result<Json, String> {
    let line = parse(text)?;
    members(&line, names).map(|()| line)
}

/// Read an event, with what is expected after it.
pub fn read_event(text: &str) -> Result<Json, String> {
    let of_kind = |kind: &str| text.contains(&format!("\"ev\":\"{kind}\""));
    let (_, more) = EVENTS.iter().find(|(kind, _)| of_kind(kind)).ok_or(format!("unknown event: {text:.80}"))?;
    let event = read_line(text, &format!("line i ev t_ns{more} expect allowed"))?;
    members(event.get("expect"), "cwnd_bytes ssthresh_bytes phase outcome next_release_ns trigger state").map(|()| event)
}

/// Read the cases of a file, each with its events.
pub fn cases(content: &str) -> Result<Vec<(Json, Vec<Json>)>, String> {
    let mut lines = content.lines();
    let mut next = || lines.next().ok_or("the file ends too early".to_string());
    let header = read_line(next()?, "line format version algorithm profile observables state cases")?;
    if header.get("format").number() != 1 { return Err("is of another format".into()) }
    (0..header.get("cases").number()).map(|_| {
        let case = read_line(next()?, "line case max_datagram_size_bytes initial_window_bytes events granularity bits flags \
            tier level clauses ours title why")?;
        let events = (0..case.get("events").number()).map(|_| read_event(next()?)).collect::<Result<_, _>>()?;
        Ok((case, events))
    }).collect()
}

/// Return where a controller departs from a case. It answers an event with the observables that are to be compared, by name.
pub fn first_difference<const N: usize>(
    case: &Json, events: &[Json], mut controller: impl FnMut(&Json) -> [(&'static str, Json); N],
) -> Option<String> {
    events.iter().find_map(|event| {
        controller(event).into_iter().find_map(|(name, observed)| {
            let expected = event.get("expect").get(name);
            let allowed = event.get("allowed").find(name).is_some_and(|values| values.list().contains(&observed));
            let shown = |value: &Json| value.number_or_none().map_or(format!("{value:?}").to_lowercase(), |n| n.to_string());
            (observed != *expected && !allowed).then(|| format!(
                "{}, event {} ({} at {} ns): {name}: expected {}, observed {}", case.get("case").text(),
                event.get("i").number(), event.get("ev").text(), event.get("t_ns").number(), shown(expected), shown(&observed),
            ))
        })
    })
}
