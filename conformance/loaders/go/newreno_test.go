package flat

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func content(t *testing.T) []byte {
	folder := os.Getenv("FIRSTFLIGHT_FLAT")
	if folder == "" {
		folder = "../../flat"
	}
	read, err := os.ReadFile(filepath.Join(folder, "slow-start", "rfc-9002.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func differences(t *testing.T, appLimitedGrows bool) (found []string) {
	cases, err := Read(bytes.NewReader(content(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range cases {
		if difference := FirstDifference(one, Begin(one.Config, appLimitedGrows).OnEvent); difference != "" {
			found = append(found, difference)
		}
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

func TestUnknownMemberIsRefused(t *testing.T) {
	text := string(content(t))
	if _, err := Read(strings.NewReader(text)); err != nil {
		t.Error(err)
	}
	for _, name := range []string{`"title":`, `"t_ns":`, `"phase":`} {
		if _, err := Read(strings.NewReader(strings.Replace(text, name, `"news":1,`+name, 1))); err == nil {
			t.Errorf("a member before %s was taken", name)
		}
	}
}
