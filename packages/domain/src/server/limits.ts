import {
  maxChannelNameLength,
  maxDescriptionLength,
  maxFolderDescriptionLength,
  maxFolderNameLength,
  maxMessageLength,
  maxTopicLength,
} from "@carillon/model";
import { maxSubscribedNotices } from "../notices/record-subscribed.ts";
import { passwordLength } from "../users/passwords.ts";

/** What clients are told of the server's limits (events.md §1.3). Lengths are in code points, files in MiB. */
export const serverLimits = {
  max_message_length: maxMessageLength,
  max_topic_length: maxTopicLength,
  max_stream_name_length: maxChannelNameLength,
  max_stream_description_length: maxDescriptionLength,
  max_channel_folder_name_length: maxFolderNameLength,
  max_channel_folder_description_length: maxFolderDescriptionLength,
  max_reminder_note_length: 500,
  max_bulk_new_subscription_messages: maxSubscribedNotices,
  max_file_upload_size_mib: 100,
  max_avatar_file_size_mib: 5,
  max_icon_file_size_mib: 5,
  max_logo_file_size_mib: 5,
  password_min_length: passwordLength.min,
  password_max_length: passwordLength.max,
};
