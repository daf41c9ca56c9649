package flat

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func folder(variable, beside string) string {
	if named := os.Getenv(variable); named != "" {
		return named
	}
	return beside
}

func content(t *testing.T, path ...string) []byte {
	read, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// judge returns the differences of a controller that begin makes for each case, and that answers all its events.
func judge(content []byte, begin func(Config) func(*Event) Observed) (found []string, err error) {
	cases, err := Read(content)
	if err != nil {
		return nil, err
	}
	for _, one := range cases {
		var answers []Observed
		controller := begin(one.Config)
		for i := range one.Events {
			answers = append(answers, controller(&one.Events[i]))
		}
		if difference := FirstDifference(one, func(event *Event) Observed { return answers[event.I] }); difference != "" {
			found = append(found, difference)
		}
	}
	return found, nil
}

func toy(mistake Mistake) func(Config) func(*Event) Observed {
	return func(config Config) func(*Event) Observed { return Begin(config, mistake).OnEvent }
}

// recorded returns the controller whose answers to the events of a profile are lines, one for each event: window, threshold and phase.
func recorded(lines string) func(Config) func(*Event) Observed {
	rows := strings.Split(lines, "\n")
	return func(Config) func(*Event) Observed {
		return func(*Event) Observed {
			row := strings.Fields(rows[0])
			rows = rows[1:]
			return Observed{"cwnd_bytes": json.RawMessage(row[0]), "ssthresh_bytes": json.RawMessage(row[1]), "phase": row[2]}
		}
	}
}

func verdict(found []string, err error) string {
	decided := func(text string) bool { return !strings.HasPrefix(text, "not decided: ") }
	switch {
	case err != nil:
		return "refused"
	case slices.ContainsFunc(found, decided):
		return "differs"
	case len(found) > 0:
		return "open"
	}
	return "agrees"
}

func differences(t *testing.T, mistake Mistake) []string {
	found, err := judge(content(t, folder("FIRSTFLIGHT_FLAT", "../../flat"), "slow-start", "rfc-9002.ndjson"), toy(mistake))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestRightControllerAgrees(t *testing.T) {
	for _, difference := range differences(t, none) {
		t.Error(difference)
	}
}

func TestMistakeIsFound(t *testing.T) {
	found := "nothing"
	for _, text := range differences(t, appLimitedGrows) {
		if found == "nothing" && !strings.HasPrefix(text, "not decided: ") {
			found = text
		}
	}
	if !strings.HasPrefix(found, "slow-start.") || !strings.Contains(found, ": cwnd_bytes: expected ") {
		t.Error(found)
	}
}

func TestWrongPhaseIsFound(t *testing.T) {
	found := append(differences(t, staysInRecovery), "nothing")[0]
	if !strings.Contains(found, ": phase: expected ") || !strings.HasSuffix(found, ", observed recovery") {
		t.Error(found)
	}
}

func TestAnswersOfOtherControllers(t *testing.T) {
	answers := os.Getenv("FIRSTFLIGHT_ANSWERS")
	if answers == "" {
		t.Skip("FIRSTFLIGHT_ANSWERS is not set")
	}
	for _, line := range strings.Split(strings.TrimSpace(string(content(t, answers, "verdicts.tsv"))), "\n") {
		row := strings.Split(line, "\t")
		profile := content(t, folder("FIRSTFLIGHT_FLAT", "../../flat"), row[0]+".ndjson")
		if found := verdict(judge(profile, recorded(string(content(t, answers, row[1]))))); found != row[2] {
			t.Errorf("%s: %s", line, found)
		}
	}
}

func TestBrokenFiles(t *testing.T) {
	broken := folder("FIRSTFLIGHT_BROKEN", "../broken")
	wanted := strings.Split(strings.TrimSpace(string(content(t, broken, "verdicts.tsv"))), "\n")
	for _, line := range wanted {
		name, right, _ := strings.Cut(line, "\t")
		if found := verdict(judge(content(t, broken, name), toy(none))); found != right {
			t.Errorf("%s: %s instead of %s", name, found, right)
		}
	}
	t.Logf("broken files: %d looked at", len(wanted))
}
