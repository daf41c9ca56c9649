// Reads the flat form of one profile, drives a controller with it and reports the first difference. To be copied; C++17, one header.
// Strict: any violation of pages/flat-format.md raises std::runtime_error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace flat {

// A value: a number or truth (1, 0) in `number`, a text in `text`, a list or object in `items`, names in `names`.
struct Json {
    enum Kind { null, truth, numeric, texts, list, object } kind = null;
    std::optional<std::uint64_t> number;
    std::string text;
    std::vector<Json> items;
    std::vector<std::string> names;

    std::size_t place(std::string_view name) const {
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    }
    const Json &operator[](std::string_view name) const { return items.at(place(name)); }
    const Json &operator[](std::size_t at) const { return items.at(at); }
    std::uint64_t operator*() const { return number.value(); }
    bool is_true(std::string_view name) const { return place(name) < items.size() && items[place(name)].number == 1; }
};

struct Scanner {
    std::string_view rest;
    bool blanks = false; // blanks after commas and colons: allowed in messages of the adapter protocol, not in lines
    int depth = 0;

    void need(bool holds, const char *wanted) const {
        if (!holds) throw std::runtime_error(std::string(wanted) + " is needed at " + std::string(rest.substr(0, 60)));
    }
    bool take(std::string_view token) {
        bool there = rest.substr(0, token.size()) == token;
        if (there) rest.remove_prefix(token.size());
        return there;
    }
    bool separator(std::string_view token) {
        bool there = take(token);
        if (there && blanks) rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        return there;
    }
    std::string text() {
        std::string found;
        for (need(take("\""), "a text"); !take("\""); rest.remove_prefix(1)) {
            bool escaped = take("\\");
            need(!rest.empty() && static_cast<unsigned char>(rest[0]) >= ' ', "the end of a text");
            need(!escaped || rest[0] == '"' || rest[0] == '\\', "no other escape");
            found += rest.front();
        }
        return found;
    }
    Json value() {
        Json found;
        if (take("null")) return found;
        for (bool truth : {false, true})
            if (take(truth ? "true" : "false")) return found.kind = Json::truth, found.number = truth, found;
        if (rest.substr(0, 1) == "\"") return found.kind = Json::texts, found.text = text(), found;
        for (const char *pair : {"[]", "{}"}) {
            if (!take({pair, 1})) continue;
            found.kind = *pair == '[' ? Json::list : Json::object;
            for (need(++depth <= 8, "a line that is nested less deeply"); !take({pair + 1, 1}); found.items.push_back(value())) {
                need(found.items.empty() || separator(","), "a comma");
                if (*pair == '[') continue;
                std::string name = text();
                need(found.place(name) == found.names.size() && separator(":"), "a colon, or another name");
                found.names.push_back(name);
            }
            return depth--, found;
        }
        return found.kind = Json::numeric, found.number = natural(), found;
    }
    std::uint64_t natural() {
        std::uint64_t found = 0;
        std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
        need(digits > 0 && (digits == 1 || rest[0] != '0'), "a number");
        for (; digits > 0; digits--, rest.remove_prefix(1)) {
            auto digit = static_cast<std::uint64_t>(rest[0] - '0');
            need(found <= (UINT64_MAX - digit) / 10, "a number of 64 bits");
            found = 10 * found + digit;
        }
        return found;
    }
};

inline Json scan(std::string_view line, bool blanks) {
    Scanner scanner{line, blanks};
    Json found = scanner.value();
    return scanner.need(scanner.rest.empty(), "the end of the line"), found;
}

// Read a message of the adapter protocol.
inline Json parse(std::string_view line) { return scan(line, true); }

// The members of each kind of line in order, each followed by a mark for its type. Single values: # number,
// ~ number or null, ? truth, $ text, & text or null. Lists: ! texts, @ runs, % ranges. Objects: ^ texts or nulls by
// name, = state, * expected values, + lists by observable. Ways: < number, null, text or interval by name.
inline const std::string profile_members = "line$ format# version$ algorithm$ profile$ observables! state! cases#";
inline const std::string case_members = "line$ case$ max_datagram_size_bytes# initial_window_bytes~ events# granularity$ bits# flags! "
                                        "tier$ level& clauses^ ours! ways! title$ why$";
inline const std::string expect_members = "cwnd_bytes# ssthresh_bytes~ phase$ outcome$ next_release_ns~ trigger& state=";
inline const std::map<std::string, std::string> event_members{
    // --- events: generated by `make generate`, do not edit ---
    {"sent", "packets@ bytes# bytes_in_flight# app_limited? retransmits% pmtu_probe? not_in_flight?"},
    {"ack", "packets@ bytes# bytes_in_flight# next_packet# app_limited? latest_rtt_ns~ min_rtt_ns~ smoothed_rtt_ns~ ack_delay_ns# "
            "oldest_unacked_packet~ rate_delivered_bytes~ rate_interval_ns~ rate_prior_delivered_bytes~ rate_app_limited? "
            "rate_in_flight_bytes~ rate_lost_bytes~ not_in_flight?"},
    {"lost", "packets@ bytes# bytes_in_flight# next_packet# rate_in_flight_bytes~ rate_app_limited? rate_lost_bytes~ pmtu_probe?"},
    {"ce", "packet# sent_t_ns# ce_count#"},
    {"backlog", "queued_bytes# receive_window_bytes# latest_rtt_ns~"},
    {"saved_path", "saved_cwnd_bytes# saved_rtt_ns# endpoint_matches? in_use? expires_t_ns~ max_jump_bytes~ beta_numerator# "
            "beta_denominator#"},
    {"datagram_size", "max_datagram_size_bytes# handshake?"},
    {"persistent_congestion", ""}, {"pto", ""}, {"idle_restart", ""}, {"path_change", ""}, {"spurious_loss", ""},
    // --- end ---
};

using State = std::vector<Json>;

inline bool fits(const Json &value, char form, const State &state);

// Return whether a value is an object with these members in this order, each of its type.
inline bool has_members(const Json &value, const std::string &members, const State &state) {
    std::istringstream words(members);
    std::size_t count = 0;
    for (std::string word; words >> word; count++) {
        char form = word.back();
        word.pop_back();
        if (count >= value.names.size() || value.names[count] != word || !fits(value.items[count], form, state)) return false;
    }
    return value.kind == Json::object && count == value.names.size();
}

// Return whether a value has the type of a mark.
inline bool fits(const Json &value, char form, const State &state) {
    auto all = [&](char of_each) {
        return std::all_of(value.items.begin(), value.items.end(), [&](const Json &one) { return fits(one, of_each, state); });
    };
    auto rows = [&](std::size_t width) {
        return value.kind == Json::list && std::all_of(value.items.begin(), value.items.end(), [&](const Json &row) {
            auto numeric = [](const Json &one) { return one.kind == Json::numeric; };
            return row.kind == Json::list && row.items.size() == width && std::all_of(row.items.begin(), row.items.end(), numeric);
        });
    };
    auto named = [&](const Json &name) { return value.names[static_cast<std::size_t>(&name - state.data())] == name.text; };
    auto known = [](const std::string &name) { return name != "state" && (' ' + expect_members).find(' ' + name) != std::string::npos; };
    auto is_way = [&](const Json &way) { // the number of a way first, then values by name
        if (way.kind != Json::object || way.names.size() < 2 || way.names[0] != "way" || way[0].kind != Json::numeric) return false;
        for (std::size_t at = 1; at < way.names.size(); at++) {
            auto is_name = [&](const Json &name) { return name.text == way.names[at]; };
            const Json &one = way[at];
            bool interval = one.kind == Json::list && one.items.size() == 2 && one[0].number && one[1].number;
            if (!known(way.names[at]) && std::none_of(state.begin(), state.end(), is_name)) return false;
            if (!interval && one.kind != Json::numeric && one.kind != Json::null && one.kind != Json::texts) return false;
        }
        return true;
    };
    switch (form) {
    case '#': return value.kind == Json::numeric;
    case '~': return value.kind == Json::numeric || value.kind == Json::null;
    case '$': return value.kind == Json::texts;
    case '&': return value.kind == Json::texts || value.kind == Json::null;
    case '?': return value.kind == Json::truth;
    case '!': return value.kind == Json::list && all('$');
    case '@': return rows(4) && !value.items.empty();
    case '%': return rows(2);
    case '^': return value.kind == Json::object && all('&');
    case '=':
        return value.kind == Json::object && value.names.size() == state.size() && std::all_of(state.begin(), state.end(), named) && all('~');
    case '*': return has_members(value, expect_members, state);
    case '<': return value.kind == Json::list && std::all_of(value.items.begin(), value.items.end(), is_way);
    case '+': return value.kind == Json::object && std::all_of(value.names.begin(), value.names.end(), known) && all('-');
    default: return value.kind == Json::list && !value.items.empty();
    }
}

// Skip a UTF-8 character of one to four bytes; return whether it is valid.
inline bool take_utf8(std::string_view &rest) {
    auto byte = [&](std::size_t at) -> unsigned { return at < rest.size() ? static_cast<unsigned char>(rest[at]) : 0; };
    std::size_t size = byte(0) < 0x80 ? 1 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
    unsigned code = size == 1 ? byte(0) : byte(0) & (0xffu >> (size + 1));
    bool right = byte(0) < 0x80 || (byte(0) >= 0xc2 && byte(0) <= 0xf4);
    for (std::size_t at = 1; at < size; at++) right = right && (byte(at) & 0xc0) == 0x80, code = code << 6 | (byte(at) & 0x3f);
    static constexpr unsigned least[] = {0, 0x80, 0x800, 0x10000};
    right = right && code >= least[size - 1] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return rest.remove_prefix(right ? size : 0), right;
}

// Reads the lines of a file, one after another.
struct Lines {
    std::istream &file;
    State state{};
    std::uint64_t format = 2;

    Json next(const std::string &kind, std::string members = "") {
        std::string line;
        Scanner scanner{"the end of the file"};
        scanner.need(std::getline(file, line) && !file.eof(), "a whole line");
        scanner.rest = line;
        for (std::string_view rest = line; !rest.empty();) scanner.need(take_utf8(rest), "UTF-8");
        Json found = scan(line, false);
        if (kind == "event") {
            std::size_t place = found.place("ev");
            auto more = event_members.find(place < found.names.size() ? found.items[place].text : "");
            scanner.need(more != event_members.end(), "a known event");
            members = "line$ i# ev$ t_ns# " + more->second + " expect* allowed+ ways<";
        }
        for (std::string word : {" ways!", " ways<", " pmtu_probe?", " not_in_flight?"}) // format 1 has none of them
            if (auto place = members.find(word); format == 1 && place != std::string::npos) members.erase(place, word.size());
        scanner.need(has_members(found, members, state) && found["line"].text == kind, "other members, or another line,");
        return found;
    }
    void end() { Scanner{"the end"}.need(file.peek() == std::istream::traits_type::eof(), "no more than the cases of the header"); }
};

// The answer of a controller, observables and numbers of the state by name: null, a number or a text.
using Value = std::variant<std::monostate, std::uint64_t, std::string>;
using Observed = std::map<std::string, Value>;

inline Value value_of(std::optional<std::uint64_t> number) { return number ? Value{*number} : Value{}; }
inline Value value_of(const Json &json) { return json.kind == Json::texts ? Value{json.text} : value_of(json.number); }
inline std::string shown(const Value &value) {
    auto number = std::get_if<std::uint64_t>(&value);
    auto text = std::get_if<std::string>(&value);
    return text ? *text : number ? std::to_string(*number) : "null";
}

// Return the first wrong answer after an event, or an empty text. `live` contains the ways that fit so far.
inline std::string difference(const Json &one, const Json &event, const Observed &observed, std::vector<std::uint64_t> &live) {
    auto find = [](const Json &object, const std::string &name) {
        std::size_t place = object.place(name);
        return place < object.items.size() ? &object.items[place] : nullptr;
    };
    const Json *ways = find(event, "ways"), &expect = event["expect"];
    auto of_way = [&](std::uint64_t way, const std::string &name) -> const Json * {
        for (std::size_t at = 0; ways && at < ways->items.size(); at++)
            if (*(*ways)[at]["way"] == way) return find((*ways)[at], name);
        return nullptr;
    };
    auto right = [&](std::uint64_t way, const std::string &name) {
        const Json *other = way > 0 ? of_way(way, name) : nullptr, *first = find(expect, name);
        return value_of(other ? *other : first ? *first : expect["state"][name]);
    };
    auto wrong = [&](std::uint64_t way) {
        std::vector<std::string> names;
        for (const auto &[name, value] : observed) {
            const Json *allowed = find(event["allowed"], name);
            auto has = [allowed](const Value &wanted) {
                auto same = [&](const Json &each) { return value_of(each) == wanted; };
                return allowed && std::any_of(allowed->items.begin(), allowed->items.end(), same);
            };
            if (value != right(way, name) && !(has(value) && has(right(way, name)))) names.push_back(name);
        }
        return names;
    };
    std::vector<std::uint64_t> left;
    for (auto way : live)
        if (wrong(way).empty()) left.push_back(way);
    if (!left.empty()) return live = left, "";
    auto names = wrong(live[0]);
    std::vector<std::string> expected;
    for (auto way : live)
        if (auto text = shown(right(way, names[0])); std::count(expected.begin(), expected.end(), text) == 0) expected.push_back(text);
    auto bound = [&](const std::string &name) { return live[0] == 0 ? of_way(0, name) : nullptr; };
    if (auto ends = bound(names[0])) expected.push_back(std::to_string(*(*ends)[0]) + " to " + std::to_string(*(*ends)[1]));
    bool open = live[0] > 0 || std::any_of(names.begin(), names.end(), [&](const std::string &name) {
                    auto number = std::get_if<std::uint64_t>(&observed.at(name));
                    auto ends = bound(name);
                    return number && ends && *(*ends)[0] <= *number && *number <= *(*ends)[1];
                });
    std::string text = open ? "not decided: " : "", all;
    for (const auto &each : expected) all += (all.empty() ? "" : " or ") + each;
    return text + one["case"].text + ", event " + shown(value_of(event["i"])) + " (" + event["ev"].text + " at " +
           shown(value_of(event["t_ns"])) + " ns): " + names[0] + ": expected " + all + ", observed " + shown(observed.at(names[0]));
}

// Judge a controller by all cases of a file. It restarts at begin(case) and answers on_event(event) with Observed.
// Return the first difference of each differing case, prefixed with "not decided: " if the controller may conform.
template <typename Controller> std::vector<std::string> differences(std::istream &file, Controller &controller) {
    std::vector<std::string> found;
    Lines lines{file};
    Json header = lines.next("profile", profile_members);
    std::uint64_t format = *header["format"];
    Scanner{"the header"}.need((format == 1 || format == 2) && *header["cases"] > 0, "format 1 or 2, and a case");
    lines.state = header["state"].items;
    lines.format = format;
    for (std::uint64_t cases = *header["cases"]; cases > 0; cases--) {
        Json one = lines.next("case", case_members);
        std::vector<std::uint64_t> live{0}; // the ways that fit the answers so far
        for (std::uint64_t way = 1; format == 2 && way < one["ways"].items.size(); way++) live.push_back(way);
        Scanner{one["case"].text}.need(*one["events"] > 0, "an event");
        controller.begin(one);
        std::string first;
        for (std::uint64_t i = 0; i < *one["events"]; i++) {
            Json event = lines.next("event");
            Scanner{one["case"].text}.need(*event["i"] == i, "an event in its order");
            auto observed = controller.on_event(event);
            if (first.empty()) first = difference(one, event, observed, live);
        }
        if (!first.empty()) found.push_back(first);
    }
    lines.end();
    return found;
}

} // namespace flat
