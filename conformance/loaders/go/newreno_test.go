package flat

import (
	"os"
	"path/filepath"
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

func judge(content []byte, appLimitedGrows bool) (found []string, err error) {
	cases, err := Read(content)
	for _, one := range cases {
		if difference := FirstDifference(one, Begin(one.Config, appLimitedGrows).OnEvent); err == nil && difference != "" {
			found = append(found, difference)
		}
	}
	return found, err
}

func differences(t *testing.T, appLimitedGrows bool) []string {
	found, err := judge(content(t, folder("FIRSTFLIGHT_FLAT", "../../flat"), "slow-start", "rfc-9002.ndjson"), appLimitedGrows)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestRightControllerAgrees(t *testing.T) {
	for _, difference := range differences(t, false) {
		t.Error(difference)
	}
}

func TestMistakeIsFound(t *testing.T) {
	found := append(differences(t, true), "nothing")[0]
	if !strings.HasPrefix(found, "slow-start.app-limited.") || !strings.Contains(found, ": cwnd_bytes: expected ") {
		t.Error(found)
	}
}

func TestBrokenFiles(t *testing.T) {
	broken := folder("FIRSTFLIGHT_BROKEN", "../broken")
	wanted := strings.Split(strings.TrimSpace(string(content(t, broken, "verdicts.tsv"))), "\n")
	for _, line := range wanted {
		name, verdict, _ := strings.Cut(line, "\t")
		differing, err := judge(content(t, broken, name), false)
		found := "agrees"
		if err != nil {
			found = "refused"
		} else if len(differing) > 0 {
			found = "differs"
		}
		if found != verdict {
			t.Errorf("%s: %s instead of %s: %v", name, found, verdict, err)
		}
	}
	t.Logf("broken files: %d looked at", len(wanted))
}
