// The toy controller judged by the vectors of RFC 9002, the loader by broken files: newreno_test FLAT BROKEN, their folders.
#include "newreno.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>

static int failed = 0;

static void check(const std::string &what, bool holds) {
    std::cout << (holds ? "ok      " : "FAILED  ") << what << "\n";
    failed |= !holds;
}

// The controller whose answers to the events of a profile are a file's lines, one for each event: window, threshold and phase.
struct Recorded {
    std::ifstream rows;

    void begin(const flat::Json &) {}
    flat::Observed on_event(const flat::Json &) {
        std::string cwnd, ssthresh, phase;
        rows >> cwnd >> ssthresh >> phase;
        auto number = [](const std::string &text) { return text == "null" ? flat::Value{} : flat::Value{std::uint64_t{std::stoull(text)}}; };
        return {{"cwnd_bytes", number(cwnd)}, {"ssthresh_bytes", number(ssthresh)}, {"phase", phase}};
    }
};

template <typename Controller> static std::string verdict(const std::string &path, Controller controller) {
    std::ifstream file(path, std::ios::binary);
    try {
        auto found = flat::differences(file, controller);
        auto open = [](const std::string &text) { return text.rfind("not decided: ", 0) == 0; };
        return found.empty() ? "agrees" : std::all_of(found.begin(), found.end(), open) ? "open" : "differs";
    } catch (const std::runtime_error &) {
        return "refused";
    }
}

static std::string first(const std::string &path, Mistake mistake) {
    std::ifstream file(path);
    NewReno controller(mistake);
    for (const auto &text : flat::differences(file, controller))
        if (text.rfind("not decided: ", 0) != 0) return text;
    return "nothing";
}

int main(int argc, char **argv) {
    std::string folder = argc > 1 ? argv[1] : "../../flat", path = folder + "/slow-start/rfc-9002.ndjson";
    std::string broken = argc > 2 ? argv[2] : "../broken", name, wanted, profile;
    check("a right controller agrees", verdict(path, NewReno(Mistake::none)) == "agrees");
    std::string found = first(path, Mistake::app_limited_grows);
    check("a mistake is found: " + found, found.rfind("slow-start.", 0) == 0);
    found = first(path, Mistake::stays_in_recovery);
    check("a wrong phase is found: " + found, found.find(": phase: expected ") != std::string::npos);
    int count = 0;
    std::ifstream verdicts(broken + "/verdicts.tsv");
    for (; verdicts >> name >> wanted; count++)
        check("broken: " + name + " is " + wanted, verdict(broken + '/' + name, NewReno(Mistake::none)) == wanted);
    check("broken files: " + std::to_string(count) + " looked at", count > 0);
    if (const char *answers = std::getenv("FIRSTFLIGHT_ANSWERS")) {
        std::ifstream list(std::string(answers) + "/verdicts.tsv");
        for (count = 0; list >> profile >> name >> wanted; count++) {
            Recorded recorded{std::ifstream(std::string(answers) + '/' + name)};
            check("answers: " + name + " is " + wanted, verdict(folder + '/' + profile + ".ndjson", std::move(recorded)) == wanted);
        }
        check("answers: " + std::to_string(count) + " files", count > 0);
    }
    return failed;
}
