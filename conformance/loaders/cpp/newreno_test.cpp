// The toy controller judged by the vectors of RFC 9002: newreno_test FLAT, the folder of the flat form.
#include "newreno.hpp"

#include <fstream>
#include <iostream>

static int failed = 0;

static void check(const std::string &what, bool holds) {
    std::cout << (holds ? "ok      " : "FAILED  ") << what << "\n";
    failed |= !holds;
}

static bool is_refused(std::string line, const std::string &name) {
    line.insert(line.find(name), "\"news\":1,");
    try {
        flat::read_event(line);
        return false;
    } catch (const std::runtime_error &) {
        return true;
    }
}

int main(int argc, char **argv) {
    std::string path = std::string(argc > 1 ? argv[1] : "../../flat") + "/slow-start/rfc-9002.ndjson";
    std::ifstream right_file(path), wrong_file(path), lines(path);
    NewReno right(false), wrong(true);
    check("a right controller agrees", flat::differences(right_file, right).empty());
    auto found = flat::differences(wrong_file, wrong);
    check("a mistake is found: " + found.at(0), found[0].rfind("slow-start.app-limited.", 0) == 0);
    std::string line;
    for (int i = 0; i < 3; i++) std::getline(lines, line);
    check("an event is read", flat::read_event(line)["ev"].text == "sent");
    check("an unknown member is refused", is_refused(line, "\"t_ns\":") && is_refused(line, "\"phase\":"));
    return failed;
}
