// A client that refuses fields and events that it does not know, as typed clients do.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
)

// The text of the message after which nothing more is awaited.
const last = "That is all"

type client struct{ site, email, key string }

func main() {
	if err := run(os.Args[1], os.Args[2] == "named"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Receives the events of a queue, then reads messages and lists, and prints what there was of each.
// Unless the types of events are named, the queue gets all that a client gets that knows of none.
func run(file string, named bool) error {
	c, err := configured(file)
	if err != nil {
		return err
	}
	queue, lastID, err := c.register(named)
	if err != nil {
		return err
	}
	say("registered", nil)
	counts := map[string]int{}
	for !hasEnded {
		if lastID, err = c.poll(queue, lastID, counts); err != nil {
			return err
		}
	}
	say("events", counts)
	return c.readLists()
}

func configured(file string) (*client, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	field := func(name string) string {
		found := regexp.MustCompile(`(?m)^` + name + `=(.*)$`).FindSubmatch(text)
		if found == nil {
			return ""
		}
		return string(found[1])
	}
	return &client{field("site"), field("email"), field("key")}, nil
}

// Prints a line for the test.
func say(msg string, answer any) {
	line, _ := json.Marshal(map[string]any{"msg": msg, "answer": answer})
	fmt.Println(string(line))
}

func (c *client) ask(method, path string, params url.Values) ([]byte, error) {
	address := c.site + "/api/v1/" + path
	body := ""
	if method == "GET" {
		address += "?" + params.Encode()
	} else {
		body = params.Encode()
	}
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.SetBasicAuth(c.email, c.key)
	if body != "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != 200 {
		err = fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	return text, err
}

func (c *client) register(named bool) (string, int64, error) {
	params := url.Values{"apply_markdown": {"true"}, "fetch_event_types": {"[]"}}
	if named {
		types, _ := json.Marshal(eventTypes)
		params.Set("event_types", string(types))
	}
	text, err := c.ask("POST", "register", params)
	if err != nil {
		return "", 0, err
	}
	var answer struct {
		QueueID     string `json:"queue_id"`
		LastEventID int64  `json:"last_event_id"`
	}
	err = json.Unmarshal(text, &answer)
	return answer.QueueID, answer.LastEventID, err
}

var hasEnded = false

// Counts the events after one, by type and operation.
func (c *client) poll(queue string, after int64, counts map[string]int) (int64, error) {
	text, err := c.ask("GET", "events", url.Values{
		"queue_id": {queue}, "last_event_id": {fmt.Sprint(after)},
	})
	if err != nil {
		return 0, err
	}
	var answer struct {
		envelope
		QueueID string            `json:"queue_id"`
		Events  []json.RawMessage `json:"events"`
	}
	if err := strictly(text, &answer); err != nil {
		return 0, err
	}
	for _, text := range answer.Events {
		var frame eventFrame
		if err := json.Unmarshal(text, &frame); err != nil {
			return 0, err
		}
		after = frame.ID
		name := frame.Type
		shape := events[name]
		if shape == nil {
			name = frame.Type + " " + frame.Op
			shape = events[name]
		}
		if shape == nil {
			return 0, fmt.Errorf("unknown event: %s", text)
		}
		if err := strictly(text, shape()); err != nil {
			return 0, err
		}
		counts[name]++
		if frame.Type == "message" && strings.Contains(string(text), last) {
			hasEnded = true
		}
	}
	return after, nil
}

// Reads what the account has, and prints how many records there are of each.
func (c *client) readLists() error {
	var messages struct {
		envelope
		Anchor         float64         `json:"anchor"`
		FoundAnchor    bool            `json:"found_anchor"`
		FoundNewest    bool            `json:"found_newest"`
		FoundOldest    bool            `json:"found_oldest"`
		HistoryLimited bool            `json:"history_limited"`
		Messages       []listedMessage `json:"messages"`
	}
	window := url.Values{"anchor": {"newest"}, "num_before": {"100"}, "num_after": {"0"}}
	var one struct {
		envelope
		RawContent string        `json:"raw_content"`
		Message    listedMessage `json:"message"`
	}
	var sent struct {
		envelope
		ID                           int64  `json:"id"`
		AutomaticNewVisibilityPolicy *int64 `json:"automatic_new_visibility_policy"`
	}
	var scheduled struct {
		envelope
		ScheduledMessages []scheduledMessage `json:"scheduled_messages"`
	}
	var planned struct {
		envelope
		ScheduledMessageID int64 `json:"scheduled_message_id"`
	}
	var drafts struct {
		envelope
		Count  int     `json:"count"`
		Drafts []draft `json:"drafts"`
	}
	var reminders struct {
		envelope
		Reminders []reminder `json:"reminders"`
	}
	var all struct {
		envelope
		Series []series `json:"message_series"`
	}
	line := url.Values{
		"type": {"channel"}, "to": {"1"}, "topic": {"bells"}, "content": {"From Go"},
		"scheduled_delivery_timestamp": {"4000000000"},
	}
	plain := url.Values{"type": line["type"], "to": line["to"], "topic": line["topic"], "content": line["content"]}
	for _, step := range []struct {
		method, path string
		params       url.Values
		into         any
	}{
		{"GET", "messages", window, &messages},
		{"POST", "messages", plain, &sent},
		{"POST", "scheduled_messages", line, &planned},
		{"GET", "scheduled_messages", nil, &scheduled},
		{"GET", "drafts", nil, &drafts},
		{"GET", "reminders", nil, &reminders},
		{"GET", "message_series", nil, &all},
	} {
		text, err := c.ask(step.method, step.path, step.params)
		if err != nil {
			return err
		}
		if err := strictly(text, step.into); err != nil {
			return fmt.Errorf("%s %s: %w", step.method, step.path, err)
		}
	}
	for _, each := range messages.Messages {
		text, err := c.ask("GET", fmt.Sprintf("messages/%d", each.ID), nil)
		if err != nil {
			return err
		}
		if err := strictly(text, &one); err != nil {
			return err
		}
	}
	say("lists", map[string]int{
		"messages":           len(messages.Messages),
		"scheduled_messages": len(scheduled.ScheduledMessages),
		"drafts":             len(drafts.Drafts),
		"reminders":          len(reminders.Reminders),
		"message_series":     len(all.Series),
	})
	return nil
}
