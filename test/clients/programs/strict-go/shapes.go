package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// What the protocol's documentation lists, and no more. A field that is missing here fails the program.

type envelope struct {
	Result            string   `json:"result"`
	Msg               string   `json:"msg"`
	IgnoredParameters []string `json:"ignored_parameters_unsupported"`
}

type person struct {
	ID            int64  `json:"id"`
	Email         string `json:"email"`
	FullName      string `json:"full_name"`
	IsMirrorDummy bool   `json:"is_mirror_dummy"`
}

// The name of a channel, or the people of a conversation.
type recipient struct {
	channel string
	people  []person
}

func (r *recipient) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &r.channel)
	}
	return strictly(text, &r.people)
}

type reaction struct {
	EmojiCode    string `json:"emoji_code"`
	EmojiName    string `json:"emoji_name"`
	ReactionType string `json:"reaction_type"`
	UserID       int64  `json:"user_id"`
	User         *struct {
		ID            int64  `json:"id"`
		UserID        int64  `json:"user_id"`
		Email         string `json:"email"`
		FullName      string `json:"full_name"`
		IsMirrorDummy bool   `json:"is_mirror_dummy"`
	} `json:"user"`
}

type topicLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

type edit struct {
	PrevContent         string `json:"prev_content"`
	PrevRenderedContent string `json:"prev_rendered_content"`
	PrevStream          int64  `json:"prev_stream"`
	PrevTopic           string `json:"prev_topic"`
	Stream              int64  `json:"stream"`
	Timestamp           int64  `json:"timestamp"`
	Topic               string `json:"topic"`
	UserID              *int64 `json:"user_id"`
}

type submessage struct {
	ID        int64  `json:"id"`
	MessageID int64  `json:"message_id"`
	SenderID  int64  `json:"sender_id"`
	MsgType   string `json:"msg_type"`
	Content   string `json:"content"`
}

type message struct {
	ID                 int64        `json:"id"`
	AvatarURL          *string      `json:"avatar_url"`
	Client             string       `json:"client"`
	Content            string       `json:"content"`
	ContentType        string       `json:"content_type"`
	DisplayRecipient   recipient    `json:"display_recipient"`
	EditHistory        []edit       `json:"edit_history"`
	IsMeMessage        bool         `json:"is_me_message"`
	LastEditTimestamp  int64        `json:"last_edit_timestamp"`
	LastMovedTimestamp int64        `json:"last_moved_timestamp"`
	Reactions          []reaction   `json:"reactions"`
	RecipientID        int64        `json:"recipient_id"`
	SenderEmail        string       `json:"sender_email"`
	SenderFullName     string       `json:"sender_full_name"`
	SenderID           int64        `json:"sender_id"`
	SenderRealmStr     string       `json:"sender_realm_str"`
	StreamID           int64        `json:"stream_id"`
	Subject            string       `json:"subject"`
	Submessages        []submessage `json:"submessages"`
	Timestamp          int64        `json:"timestamp"`
	TopicLinks         []topicLink  `json:"topic_links"`
	Type               string       `json:"type"`
}

// A message of a list, which has its flags.
type listedMessage struct {
	message
	Flags []string `json:"flags"`
}

type scheduledMessage struct {
	ScheduledMessageID         int64           `json:"scheduled_message_id"`
	Type                       string          `json:"type"`
	To                         json.RawMessage `json:"to"`
	Topic                      string          `json:"topic"`
	Content                    string          `json:"content"`
	RenderedContent            string          `json:"rendered_content"`
	ScheduledDeliveryTimestamp int64           `json:"scheduled_delivery_timestamp"`
	Failed                     bool            `json:"failed"`
}

type reminder struct {
	ReminderID                 int64   `json:"reminder_id"`
	Type                       string  `json:"type"`
	To                         []int64 `json:"to"`
	Content                    string  `json:"content"`
	RenderedContent            string  `json:"rendered_content"`
	ScheduledDeliveryTimestamp int64   `json:"scheduled_delivery_timestamp"`
	Failed                     bool    `json:"failed"`
	ReminderTargetMessageID    int64   `json:"reminder_target_message_id"`
}

type draft struct {
	ID        int64   `json:"id"`
	Type      string  `json:"type"`
	To        []int64 `json:"to"`
	Topic     string  `json:"topic"`
	Content   string  `json:"content"`
	Timestamp int64   `json:"timestamp"`
}

// once-and-again.md §3.1: for programs that ask for series.
type series struct {
	SeriesID               int64           `json:"series_id"`
	AuthorID               int64           `json:"author_id"`
	Type                   string          `json:"type"`
	To                     json.RawMessage `json:"to"`
	Topic                  string          `json:"topic"`
	Content                string          `json:"content"`
	Start                  string          `json:"start"`
	Timezone               string          `json:"timezone"`
	Rrule                  string          `json:"rrule"`
	ExcludedDates          []string        `json:"excluded_dates"`
	Template               bool            `json:"template"`
	Unless                 json.RawMessage `json:"unless"`
	CatchUpSeconds         int64           `json:"catch_up_seconds"`
	CanManageGroup         json.RawMessage `json:"can_manage_group"`
	State                  string          `json:"state"`
	PausedReason           *string         `json:"paused_reason"`
	NextOccurrence         *string         `json:"next_occurrence"`
	NextDeliveryTimestamp  *int64          `json:"next_delivery_timestamp"`
	NextScheduledMessageID *int64          `json:"next_scheduled_message_id"`
	SentCount              int64           `json:"sent_count"`
	ConsecutiveFailures    int64           `json:"consecutive_failures"`
	Version                int64           `json:"version"`
}

type eventFrame struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
	Op   string `json:"op"`
}

// The events that a program knows, by type or by type and operation.
var events = map[string]func() any{
	"heartbeat": func() any { return &eventFrame{} },
	"message": func() any {
		return &struct {
			eventFrame
			Message        message  `json:"message"`
			Flags          []string `json:"flags"`
			LocalMessageID string   `json:"local_message_id"`
		}{}
	},
	"update_message": func() any {
		return &struct {
			eventFrame
			UserID              *int64      `json:"user_id"`
			RenderingOnly       bool        `json:"rendering_only"`
			MessageID           int64       `json:"message_id"`
			MessageIDs          []int64     `json:"message_ids"`
			Flags               []string    `json:"flags"`
			EditTimestamp       int64       `json:"edit_timestamp"`
			StreamName          string      `json:"stream_name"`
			StreamID            int64       `json:"stream_id"`
			NewStreamID         int64       `json:"new_stream_id"`
			PropagateMode       string      `json:"propagate_mode"`
			OrigSubject         string      `json:"orig_subject"`
			Subject             string      `json:"subject"`
			TopicLinks          []topicLink `json:"topic_links"`
			OrigContent         string      `json:"orig_content"`
			OrigRenderedContent string      `json:"orig_rendered_content"`
			Content             string      `json:"content"`
			RenderedContent     string      `json:"rendered_content"`
			IsMeMessage         bool        `json:"is_me_message"`
		}{}
	},
	"delete_message": func() any {
		return &struct {
			eventFrame
			MessageIDs  []int64 `json:"message_ids"`
			MessageID   int64   `json:"message_id"`
			MessageType string  `json:"message_type"`
			StreamID    int64   `json:"stream_id"`
			Topic       string  `json:"topic"`
		}{}
	},
	"update_message_flags": func() any {
		return &struct {
			eventFrame
			Operation      string  `json:"operation"`
			Flag           string  `json:"flag"`
			Messages       []int64 `json:"messages"`
			All            bool    `json:"all"`
			MessageDetails map[string]struct {
				Type             string  `json:"type"`
				Mentioned        bool    `json:"mentioned"`
				UserIDs          []int64 `json:"user_ids"`
				StreamID         int64   `json:"stream_id"`
				Topic            string  `json:"topic"`
				UnmutedStreamMsg bool    `json:"unmuted_stream_msg"`
			} `json:"message_details"`
		}{}
	},
	"reaction": func() any {
		return &struct {
			eventFrame
			reaction
			MessageID int64 `json:"message_id"`
		}{}
	},
	"user_topic": func() any {
		return &struct {
			eventFrame
			StreamID         int64  `json:"stream_id"`
			TopicName        string `json:"topic_name"`
			LastUpdated      int64  `json:"last_updated"`
			VisibilityPolicy int64  `json:"visibility_policy"`
		}{}
	},
	"presence": func() any {
		return &struct {
			eventFrame
			UserID          int64                      `json:"user_id"`
			Email           string                     `json:"email"`
			ServerTimestamp float64                    `json:"server_timestamp"`
			Presence        map[string]json.RawMessage `json:"presence"`
		}{}
	},
	"scheduled_messages add": func() any {
		return &struct {
			eventFrame
			ScheduledMessages []scheduledMessage `json:"scheduled_messages"`
		}{}
	},
	"scheduled_messages update": func() any {
		return &struct {
			eventFrame
			ScheduledMessage scheduledMessage `json:"scheduled_message"`
		}{}
	},
	"scheduled_messages remove": func() any {
		return &struct {
			eventFrame
			ScheduledMessageID int64 `json:"scheduled_message_id"`
		}{}
	},
	"reminders add": func() any {
		return &struct {
			eventFrame
			Reminders []reminder `json:"reminders"`
		}{}
	},
	"reminders remove": func() any {
		return &struct {
			eventFrame
			ReminderID int64 `json:"reminder_id"`
		}{}
	},
	"drafts add": func() any {
		return &struct {
			eventFrame
			Drafts []draft `json:"drafts"`
		}{}
	},
	"drafts update": func() any {
		return &struct {
			eventFrame
			Draft draft `json:"draft"`
		}{}
	},
	"drafts remove": func() any {
		return &struct {
			eventFrame
			DraftID int64 `json:"draft_id"`
		}{}
	},
}

// The types to name at registration.
var eventTypes = []string{
	"message", "update_message", "delete_message", "update_message_flags", "reaction", "user_topic",
	"presence", "scheduled_messages", "reminders", "drafts",
}

// Decodes all of the text into what is known. Fields that are unknown are errors.
func strictly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%w in %s", err, text)
	}
	return nil
}
