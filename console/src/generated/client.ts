/**
 * Trunkline API
 * 1
 * DO NOT MODIFY - This file has been generated using oazapfts.
 * See https://www.npmjs.com/package/oazapfts
 */
import * as Oazapfts from "@oazapfts/runtime";
import * as QS from "@oazapfts/runtime/query";
export const defaults: Oazapfts.Defaults<Oazapfts.CustomHeaders> = {
    headers: {},
    baseUrl: "http://calls.test"
};
type Runtime = ReturnType<typeof Oazapfts.runtime>;
type Options = Oazapfts.RequestOpts | ReturnType<Runtime["json" | "multipart"]>;
const oazapfts: Omit<Runtime, "fetchJson"> & {
    fetchJson<T extends Oazapfts.ApiResponse>(url: string, options?: Options): Promise<Oazapfts.WithHeaders<T>>;
} = Oazapfts.runtime(defaults);
export const servers = {
    server1: "http://calls.test"
};
export type EmptyResponse = {
    /** Human-readable result. */
    message: string;
    /** Always null: the result is its status. */
    data: null;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type Id = string;
export type CallReference = {
    /** Identifier of the call. */
    call_id: Id;
};
export type ErrorType = "api_error" | "gateway_auth_error" | "auth_error" | "http_error" | "timeout_error" | "validation_error" | "gateway_rate_limit_error" | "generic_error";
export type FieldFault = {
    /** Path of the field, for example `states[2].tools[0].url`. null: the body as a whole. */
    field: string | null;
    /** Why the field is not valid. */
    message: string;
};
export type FailureError = {
    /** Human-readable cause of the failure. */
    message: string;
    /** Kind of error. Programs branch on `type` and `status`, not on `message`. */
    "type": ErrorType;
    /** HTTP status code. */
    status: number;
    /** The invalid fields, for a 422. At most 100 are listed. null for other errors. */
    details?: FieldFault[] | null;
};
export type Failure = {
    /** Human-readable cause of the failure. The same text as `error.message`. */
    message: string;
    /** The call that was created although the request failed (408, 502). null otherwise. */
    data: CallReference | null;
    /** The error. */
    error: FailureError;
    /** HTTP status code. */
    status: number;
    /** Only on 401: the same value as `error.type`. */
    "type"?: ErrorType;
};
export type Timestamp = string;
export type AnalyticsCost = {
    /** Cost in total. */
    total: number;
    /** Telephony. */
    telephony: number;
    /** Transcribers. */
    transcriber: number;
    /** Language models. */
    llm: number;
    /** Voices. */
    voice: number;
};
export type CallAnalyticsRow = {
    /** Begin of the interval, ISO 8601, UTC. null for `total`. */
    start_time: Timestamp | null;
    /** Agent, direction, end reason or answer type, as `group_by` says. null: none, or not grouped. */
    group: string | null;
    /** Calls that have ended. */
    calls: number;
    /** Calls that were answered. */
    answered_calls: number;
    /** Seconds from the answers to the ends. */
    duration_seconds: number;
    cost: AnalyticsCost;
    /** User turns. */
    turns: number;
    /** Interruptions: the user cut the agent off. */
    interruptions: number;
    /** False interruptions: the agent paused for a sound and continued. */
    false_interruptions: number;
    /** Silences of more than a second, as in the timeline of a call. */
    silences: number;
    /** Length of these silences, seconds. */
    silence_seconds: number;
    /** Tools that ran to their end. */
    tool_calls: number;
    /** Tools that failed. */
    tool_failures: number;
};
export type CallAnalytics = {
    /** Begin of the range that was counted, ISO 8601, UTC. */
    "from": Timestamp;
    /** End of that range. */
    to: Timestamp;
    /** In the order of time, then of the group. */
    rows: CallAnalyticsRow[];
};
export type CallAnalyticsResponse = {
    /** Human-readable result. */
    message: string;
    data: CallAnalytics;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type ResponseTimesRow = {
    /** Begin of the interval, ISO 8601, UTC. null for `total`. */
    start_time: Timestamp | null;
    /** Agent or provider, as `group_by` says. null: none, or not grouped. */
    group: string | null;
    /** Turns that were answered. */
    turns: number;
    /** Median response time, ms. */
    p50_ms: number;
    /** 95th percentile, ms. */
    p95_ms: number;
};
export type ResponseTimes = {
    /** Begin of the range that was counted, ISO 8601, UTC. */
    "from": Timestamp;
    /** End of that range. */
    to: Timestamp;
    /** In the order of time, then of the group. */
    rows: ResponseTimesRow[];
};
export type ResponseTimesResponse = {
    /** Human-readable result. */
    message: string;
    data: ResponseTimes;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type UsageRow = {
    /** Begin of the interval, ISO 8601, UTC. null for `total`. */
    start_time: Timestamp | null;
    /** Role of the provider. */
    kind: "transcriber" | "llm" | "voice";
    /** Name of the provider, as in agents. */
    provider: string;
    /** Model. null if the provider has no models. */
    model: string | null;
    /** Calls that used it. */
    calls: number;
    /** Transcribers: seconds of audio sent. */
    audio_seconds: number;
    /** Language models: input tokens. */
    input_tokens: number;
    /** Language models: input tokens that the provider read from its cache. */
    cached_input_tokens: number;
    /** Language models: output tokens. */
    output_tokens: number;
    /** Voices: characters sent and accepted. */
    characters: number;
};
export type Usage = {
    /** Begin of the range that was counted, ISO 8601, UTC. */
    "from": Timestamp;
    /** End of that range. */
    to: Timestamp;
    /** In the order of time, then of the group. */
    rows: UsageRow[];
};
export type UsageResponse = {
    /** Human-readable result. */
    message: string;
    data: Usage;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type CostRow = {
    /** Begin of the interval, ISO 8601, UTC. null for `total`. */
    start_time: Timestamp | null;
    /** What was paid for. */
    kind: "telephony" | "transcriber" | "llm" | "voice";
    /** Name of the provider, as in agents. null for telephony. */
    provider: string | null;
    /** Model. null for telephony, with `group_by=provider`, and without models. */
    model: string | null;
    /** Calls that used it; for telephony those that were answered. */
    calls: number;
    /** Cost in the currency of the price table (`PRICES_FILE`). 0 without prices. */
    cost: number;
};
export type Costs = {
    /** Begin of the range that was counted, ISO 8601, UTC. */
    "from": Timestamp;
    /** End of that range. */
    to: Timestamp;
    /** In the order of time, then of the group. */
    rows: CostRow[];
};
export type CostsResponse = {
    /** Human-readable result. */
    message: string;
    data: Costs;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type VoiceChange = {
    /** Voice provider, for example `deepgram`. Default: the present one. */
    provider?: string;
    /** Name or identifier of the voice at the provider. Default: the present voice. */
    name?: string;
    /** Name of the model at the provider. Default: the recommended model. */
    model?: string;
    /** Speaking instructions for voices that support them, at most 10,000 characters. */
    instructions?: string;
    /** Speaking speed, 0.5 to 2 times the natural speed. Default: the present one, or 1 for a new voice. */
    speed?: number;
};
export type LanguageModel = {
    /** Language model provider, for example `openai`. Default: derived from the name of the model. */
    provider?: string;
    /** Name of the model at the provider. */
    model: string;
    /** Sampling temperature, 0 to 2. 0: the most likely words only. Default: that of the provider. */
    temperature?: number;
};
export type Transcriber = {
    /** Transcriber provider, for example `deepgram`. */
    provider: string;
    /** Name of the model at the provider. Default: the recommended model. */
    model?: string;
    /** Confidence that ends a turn, 0.5 to 0.9, for transcribers with turn detection. Default: that of the provider. */
    eot_threshold?: number;
    /** Confidence that starts eager generation before the end of the turn, 0.3 to 0.9, for transcribers with turn detection. Default: off. */
    eager_eot_threshold?: number;
};
export type RequestHeader = {
    /** Name of the HTTP header. */
    name: string;
    /** Value of the header, at most 8,192 characters. May contain `{{variables}}`. */
    value: string;
    /** Note for people, at most 2,000 characters. */
    description?: string;
    /** true: the value is write-only, shown as `***` and sent literally, without `{{variables}}`. In an update `***` keeps the value if the state and the tool keep their names, or the tool its URL. Default false. */
    secret?: boolean;
};
export type VariableSource = {
    /** The value is that of a variable. */
    source: "variable";
    /** Name of the variable. */
    variable: string;
};
export type VariableType = "string" | "number" | "integer" | "boolean" | "date" | "datetime" | "object" | "array";
export type ChosenParameter = {
    /** Name: letters, digits, `_` and `-`, 1 to 64 characters. */
    name: string;
    /** Type of the value. Default `string`. */
    "type"?: VariableType;
    /** Description for the model, at most 2,000 characters. */
    description?: string;
};
export type ModelSource = {
    /** The model chooses the value. */
    source: "llm_parameter";
    /** The parameter as the model sees it. */
    llm_parameter: ChosenParameter;
};
export type ParameterValue = ({
    source: "variable";
} & VariableSource) | ({
    source: "llm_parameter";
} & ModelSource);
export type NamedParameter = {
    /** Name in the request, 1 to 200 characters. */
    name: string;
    /** Source of the value. */
    value: ParameterValue;
};
export type ToolParameter = NamedParameter | ChosenParameter;
export type ResponseMapping = {
    /** JSONPath (RFC 9535) into the JSON response. One match sets its value, several matches set their list. */
    json_path_to_data: string;
    /** Variable that gets the value. */
    destination_variable: string;
};
export type CustomFunctionTool = {
    /** Sends an HTTP request to your server. */
    "type": "custom_function";
    /** Name: letters, digits, `_` and `-`, 1 to 64 characters. */
    name: string;
    /** Description for the model, at most 10,000 characters. */
    description?: string;
    /** Sentence that the agent speaks while the action runs, at most 1,000 characters. May contain `{{variables}}`. */
    filler_sentence?: string;
    /** false: `filler_sentence` is heard to its end. What the user says during it is answered afterwards. Default true. */
    interruptible?: boolean;
    /** URL of the request: http or https, at most 8,192 characters. `{{variables}}` are allowed in path segments and the query only. The call of the tool fails if a value leaves a path segment empty or makes it `.` or `..`. */
    url: string;
    /** HTTP method. Default GET. */
    method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    /** Place of the parameters: the query (`url_params`), a JSON body (`json`) or a form body (`form`). Default `url_params`. */
    content_type?: "url_params" | "json" | "form";
    /** Timeout of the request in seconds, 1 to 120. Default 20. After it the call of the tool fails. */
    timeout?: number;
    /** Headers of the request, at most 50. */
    headers?: RequestHeader[];
    /** Parameters of the request, at most 100. */
    parameters?: ToolParameter[];
    /** Variables that are set from the response, at most 100. */
    response_mapping?: ResponseMapping[];
};
export type HangUpTool = {
    /** Ends the call after `filler_sentence` (the goodbye) has been played. */
    "type": "hang_up";
    /** Name: letters, digits, `_` and `-`, 1 to 64 characters. */
    name: string;
    /** Description for the model, at most 10,000 characters. */
    description?: string;
    /** Sentence that the agent speaks while the action runs, at most 1,000 characters. May contain `{{variables}}`. */
    filler_sentence?: string;
    /** false: `filler_sentence` is heard to its end. What the user says during it is answered afterwards. Default true. */
    interruptible?: boolean;
};
export type WaitTool = {
    /** The agent stays silent and keeps listening. */
    "type": "wait";
    /** Name: letters, digits, `_` and `-`, 1 to 64 characters. */
    name: string;
    /** Description for the model, at most 10,000 characters. */
    description?: string;
    /** Sentence that the agent speaks while the action runs, at most 1,000 characters. May contain `{{variables}}`. */
    filler_sentence?: string;
    /** false: `filler_sentence` is heard to its end. What the user says during it is answered afterwards. Default true. */
    interruptible?: boolean;
    /** Seconds without presence checks, 1 to 600. Default 60. */
    duration?: number;
};
export type TransferCallTool = {
    /** Transfers the user to another party. */
    "type": "transfer_call";
    /** Name: letters, digits, `_` and `-`, 1 to 64 characters. */
    name: string;
    /** Description for the model, at most 10,000 characters. */
    description?: string;
    /** Sentence that the agent speaks while the action runs, at most 1,000 characters. May contain `{{variables}}`. */
    filler_sentence?: string;
    /** false: `filler_sentence` is heard to its end. What the user says during it is answered afterwards. Default true. */
    interruptible?: boolean;
    /** Destination: E.164 number, `sip:` or `tel:` URI, at most 1,000 characters. May contain `{{variables}}`. */
    destination: string;
    /** refer: ask the peer to call the destination (SIP REFER); if it refuses, bridge. bridge: call the destination and connect both calls. Default `refer`. */
    mode?: "refer" | "bridge";
    /** SIP headers of the REFER or INVITE, at most 32 with 4 KiB in total. Values may contain `{{variables}}`. */
    headers?: {
        [key: string]: string;
    };
    /** Seconds that the destination may ring, 5 to 180. Default 30. Then the transfer fails and the agent continues. */
    ring_timeout?: number;
    /** Allowed destinations, at most 100. If the destination contains a variable that was set during the call, it must be in this list. */
    allowed_destinations?: string[];
};
export type LeaveVoicemailMessageTool = {
    /** Speaks `filler_sentence` (the message) after the greeting and the beep of the voicemail. Then the call ends. */
    "type": "leave_voicemail_message";
    /** Name: letters, digits, `_` and `-`, 1 to 64 characters. */
    name: string;
    /** Description for the model, at most 10,000 characters. */
    description?: string;
    /** Sentence that the agent speaks while the action runs, at most 1,000 characters. May contain `{{variables}}`. */
    filler_sentence?: string;
    /** false: `filler_sentence` is heard to its end. What the user says during it is answered afterwards. Default true. */
    interruptible?: boolean;
};
export type SendDtmfTool = {
    /** Sends DTMF digits that the model chooses, for phone menus. */
    "type": "send_dtmf";
    /** Name: letters, digits, `_` and `-`, 1 to 64 characters. */
    name: string;
    /** Description for the model, at most 10,000 characters. */
    description?: string;
    /** Sentence that the agent speaks while the action runs, at most 1,000 characters. May contain `{{variables}}`. */
    filler_sentence?: string;
    /** false: `filler_sentence` is heard to its end. What the user says during it is answered afterwards. Default true. */
    interruptible?: boolean;
};
export type PauseRecordingTool = {
    /** From now on nothing of the call is kept, until `resume_recording` or the API ends the pause. */
    "type": "pause_recording";
    /** Name: letters, digits, `_` and `-`, 1 to 64 characters. */
    name: string;
    /** Description for the model, at most 10,000 characters. */
    description?: string;
    /** Sentence that the agent speaks while the action runs, at most 1,000 characters. May contain `{{variables}}`. */
    filler_sentence?: string;
    /** false: `filler_sentence` is heard to its end. What the user says during it is answered afterwards. Default true. */
    interruptible?: boolean;
};
export type ResumeRecordingTool = {
    /** Ends the pause that `pause_recording` or the API began. A state with `pause_recording` still pauses. */
    "type": "resume_recording";
    /** Name: letters, digits, `_` and `-`, 1 to 64 characters. */
    name: string;
    /** Description for the model, at most 10,000 characters. */
    description?: string;
    /** Sentence that the agent speaks while the action runs, at most 1,000 characters. May contain `{{variables}}`. */
    filler_sentence?: string;
    /** false: `filler_sentence` is heard to its end. What the user says during it is answered afterwards. Default true. */
    interruptible?: boolean;
};
export type Tool = ({
    "type": "custom_function";
} & CustomFunctionTool) | ({
    "type": "hang_up";
} & HangUpTool) | ({
    "type": "wait";
} & WaitTool) | ({
    "type": "transfer_call";
} & TransferCallTool) | ({
    "type": "leave_voicemail_message";
} & LeaveVoicemailMessageTool) | ({
    "type": "send_dtmf";
} & SendDtmfTool) | ({
    "type": "pause_recording";
} & PauseRecordingTool) | ({
    "type": "resume_recording";
} & ResumeRecordingTool);
export type Transition = {
    /** Condition in words, evaluated by the model, 1 to 10,000 characters. */
    condition: string;
    /** Name of the next state. */
    destination_state_name: string;
    /** Sentence that the agent speaks while the action runs, at most 1,000 characters. May contain `{{variables}}`. */
    filler_sentence?: string;
    /** false: `filler_sentence` is heard to its end. What the user says during it is answered afterwards. Default true. */
    interruptible?: boolean;
};
export type Variable = {
    /** Name: letters, digits, `_` and `-`, 1 to 64 characters. */
    name: string;
    /** Type of the value. Default `string`. */
    "type"?: VariableType;
    /** Description for the model, at most 2,000 characters. */
    description?: string;
    /** Instructions for extracting the value from the conversation, at most 10,000 characters. */
    extraction_instructions?: string;
};
export type StateFeatures = {
    /** true: the user is expected to spell or dictate names, numbers or addresses, so the agent waits longer for the end of the turn. Default false. */
    entity_detection?: boolean;
};
export type State = {
    /** Name of the state, unique within the agent, 1 to 100 characters. */
    name: string;
    /** Instructions for the model in this state, at most 100,000 characters. May contain `{{variables}}` and refer to tools as `{{tool_name}}`. */
    prompt?: string;
    /** Language model of this state. Default: that of the agent. */
    llm?: LanguageModel;
    /** Tools that the model may call in this state, at most 50. */
    tools?: Tool[];
    /** Transitions to other states, at most 100. A state without transitions is terminal. */
    transitions?: Transition[];
    /** Variables extracted in this state, at most 100. */
    variables?: Variable[];
    /** Horizontal position in an editor, in its units. No effect on calls. */
    x_position?: number;
    /** Vertical position in an editor, in its units. No effect on calls. */
    y_position?: number;
    /** false: what the agent says in this state is heard to its end. What the user says during it is answered afterwards. Default true. */
    interruptible?: boolean;
    /** true: while the call is in this state nothing of it is kept: recording, transcript, variables, webhooks, logs and tape hold a pause instead of what is said and typed. The conversation goes on as usual. Default false. */
    pause_recording?: boolean;
    /** Transcription features of this state. */
    features?: StateFeatures;
    /** Knowledge bases that the model may search in this state, at most 20. */
    knowledge_base_ids?: Id[];
};
export type InterruptionSensitivity = "low" | "medium" | "high";
export type TurnDetection = "auto" | "rules" | "provider" | "model";
export type RecordingConsent = {
    /** Says that the call is recorded and how the user refuses, 1 to 1,000 characters. It is said before `initial_message` and heard to its end. May contain `{{variables}}`. */
    announcement: string;
    /** DTMF digit that refuses, from the announcement until the user has answered it: 0 to 9, `*` or `#`. Default: none. */
    refusal_digit?: string;
    /** true: words refuse, too, in English, French, German, Spanish, Italian, Portuguese and Dutch: “no” as the first answer to the announcement, and at any time words that name the recording, such as “please don’t record this”. Default true. */
    spoken_refusal?: boolean;
    /** `continue`: the call goes on. `hang_up`: it ends after the next answer of the agent. Default `continue`. */
    on_refusal?: "continue" | "hang_up";
    /** false: a recording refusal deletes the transcript and the variables, too, and no more of them is kept. true: it concerns only recording and tape. Default false. */
    keep_transcript?: boolean;
};
export type Redaction = {
    /** Kinds of data to redact, 1 to 6: `card`: card numbers; `iban`; `email`; `phone`: phone numbers; `ssn`: Social Security numbers of the United States; `national_id`: NI number (UK), Steuer-ID (DE), DNI and NIE (ES), NIR (FR), codice fiscale (IT), BSN (NL), NIF (PT), CPF (BR). */
    entities: ("card" | "iban" | "email" | "phone" | "ssn" | "national_id")[];
    /** `tone`: a tone replaces them in the recording, on both channels, before it can be downloaded. What is said after a bridged transfer is silent in it. Default: the recording is not redacted. */
    audio?: "tone";
};
export type DtmfRules = {
    /** Digit that ends a DTMF entry: 0 to 9, `*` or `#`. Default `#`. */
    terminator?: string;
    /** Seconds without a digit that end a DTMF entry, 0.5 to 30. Default 3. */
    pause?: number;
    /** Number of digits that ends a DTMF entry, 1 to 64. Default: none. */
    max_digits?: number;
};
export type Voice = {
    /** Voice provider, for example `deepgram`. */
    provider: string;
    /** Name or identifier of the voice at the provider. */
    name: string;
    /** Name of the model at the provider. Default: the recommended model. */
    model?: string;
    /** Speaking instructions for voices that support them, at most 10,000 characters. */
    instructions?: string;
    /** Speaking speed, 0.5 to 2 times the natural speed. Default 1. */
    speed?: number;
};
export type Fallbacks = {
    /** Fallback language models, at most 5. */
    llm?: LanguageModel[];
    /** Fallback voices, at most 5. */
    voice?: Voice[];
    /** Fallback transcribers, at most 5. */
    transcriber?: Transcriber[];
};
export type OnProviderFailure = {
    /** Apology that the agent speaks after a turn without an answer, and before the action, at most 1,000 characters. May contain `{{variables}}`. Default: one in the language of the agent. */
    message?: string;
    /** Action after the apology of the second failed turn in a row. Default `hang_up`. */
    action?: "hang_up" | "transfer";
    /** Destination of the transfer: E.164 number, `sip:` or `tel:` URI. Required for `transfer`. May contain `{{variables}}`. */
    destination?: string;
};
export type Pronunciation = {
    /** Written form, 1 to 200 characters. */
    "from": string;
    /** Spoken form, 1 to 200 characters. */
    to: string;
};
export type WebhookEventType = "event_variable_value_updated" | "event_all_variables_resolved" | "event_call_status_changed" | "event_call_started" | "event_call_ended" | "event_transcript_updated" | "event_state_changed" | "event_tool_called" | "event_answer_type_detected" | "event_transfer_started" | "event_transfer_completed" | "event_transfer_failed" | "event_recording_ready" | "event_post_call_answers_ready";
export type CreateAgentRequest = {
    /** Language of the conversation, BCP 47, for example `en` or `pt-BR`. Default `en`. */
    language?: string;
    /** First message of the agent, at most 1,000 characters. May contain `{{variables}}`. Empty: the agent listens first. */
    initial_message?: string;
    /** Seconds between the answer and `initial_message`, 0 to 50. Default 0. On outbound calls at least 1 s, so that the user can speak first. */
    initial_message_delay?: number;
    /** true: the user can interrupt `initial_message`. Default true. */
    initial_message_interruptible?: boolean;
    /** Maximum duration of a call in seconds from the answer, 10 to 14,400. Default 1,800. Then the call ends. */
    max_call_duration?: number;
    /** Phrases for a silent user, at most 100, each 1 to 500 characters. Empty: no presence checks. */
    presence_check_phrases?: string[];
    /** Seconds of silence before a presence check, 3 to 120. Default 10. */
    presence_check_idle_threshold?: number;
    /** Presence checks without a response, 1 to 100. Default 1. Then the call ends. */
    presence_check_max_times?: number;
    /** Instructions for the model in every state, at most 100,000 characters. May contain `{{variables}}`. */
    base_prompt?: string;
    voice?: VoiceChange;
    llm?: LanguageModel;
    transcriber?: Transcriber;
    /** States of the conversation, 1 to 100. */
    states: State[];
    /** Name of the state in which conversations start. */
    initial_state_name: string;
    /** true: the user can interrupt the agent. Default true. */
    interruptions?: boolean;
    interruptions_sensitivity?: InterruptionSensitivity;
    turn_detection?: TurnDetection;
    /** true: noise of the user’s line is suppressed for the transcriber and for voice activity; recordings keep it. Costs 2 % of a core a call. Default false. */
    noise_suppression?: boolean;
    /** Words that the transcriber should recognize, at most 500, each 1 to 100 characters. */
    custom_vocabulary?: string[];
    /** Variables extracted in every state, at most 100. Built-in variables may be repeated and are ignored. */
    variables?: Variable[];
    /** true: record calls. Default true. */
    recording?: boolean;
    recording_consent?: RecordingConsent;
    /** true: keep a tape of each call, which can be replayed. Default false. */
    record_tape?: boolean;
    redaction?: Redaction;
    /** Seconds of user speech after which the agent interrupts, 5 to 600. Default: never. */
    max_monologue?: number;
    dtmf?: DtmfRules;
    fallbacks?: Fallbacks;
    on_provider_failure?: OnProviderFailure;
    /** Pronunciations of words for the voice, at most 500. */
    pronunciations?: Pronunciation[];
    /** Purpose of the call, stated to call screening, at most 2,000 characters. May contain `{{variables}}`. */
    call_purpose?: string;
    /** Knowledge bases that the model may search in every state, at most 20. */
    knowledge_base_ids?: Id[];
    /** Display name, 1 to 100 characters. */
    name: string;
    /** URL that receives webhook events: http or https, without username and password, at most 2,048 characters. null: none. */
    webhook_url?: string | null;
    /** Event kinds sent to `webhook_url`. Default: the two variable events. */
    webhook_subscriptions?: WebhookEventType[];
    /** true: `recording_url` of its calls expires after an hour (`RECORDING_LINK_SECONDS`). false: it is permanent. Default false. */
    secure_recording_urls?: boolean;
    transcriber_configuration?: Transcriber;
    /** Read-only. Ignored in requests. */
    id?: unknown;
    /** Read-only. Ignored in requests. */
    organization_id?: unknown;
    /** Read-only. Ignored in requests. */
    version?: unknown;
    /** Read-only. Ignored in requests. */
    created_at?: unknown;
    /** Read-only. Ignored in requests. */
    updated_at?: unknown;
    /** Read-only. Ignored in requests. */
    warnings?: unknown;
};
export type AgentWarning = {
    /** Path of the field, for example `states[0].prompt`. */
    field: string;
    /** Likely mistake in the field. */
    message: string;
};
export type CreatedAgent = {
    /** Identifier of the agent. */
    id: Id;
    /** Display name. */
    name: string;
    /** Likely mistakes in the agent, such as unknown variables or unreachable states. Missing without any. */
    warnings?: AgentWarning[];
};
export type CreatedAgentResponse = {
    /** Human-readable result. */
    message: string;
    data: CreatedAgent;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type Agent = {
    /** Language of the conversation, BCP 47, for example `en` or `pt-BR`. Default `en`. */
    language: string;
    /** First message of the agent, at most 1,000 characters. May contain `{{variables}}`. Empty: the agent listens first. */
    initial_message: string;
    /** Seconds between the answer and `initial_message`, 0 to 50. Default 0. On outbound calls at least 1 s, so that the user can speak first. */
    initial_message_delay: number;
    /** true: the user can interrupt `initial_message`. Default true. */
    initial_message_interruptible: boolean;
    /** Maximum duration of a call in seconds from the answer, 10 to 14,400. Default 1,800. Then the call ends. */
    max_call_duration: number;
    /** Phrases for a silent user, at most 100, each 1 to 500 characters. Empty: no presence checks. */
    presence_check_phrases: string[];
    /** Seconds of silence before a presence check, 3 to 120. Default 10. */
    presence_check_idle_threshold: number;
    /** Presence checks without a response, 1 to 100. Default 1. Then the call ends. */
    presence_check_max_times: number;
    /** Instructions for the model in every state, at most 100,000 characters. May contain `{{variables}}`. */
    base_prompt: string;
    /** Voice (text-to-speech) of the agent. */
    voice: Voice;
    /** Language model of the agent. */
    llm: LanguageModel;
    /** Transcriber (speech-to-text) of the agent. */
    transcriber: Transcriber;
    /** States of the conversation, 1 to 100. */
    states: State[];
    /** Name of the state in which conversations start. */
    initial_state_name: string;
    /** true: the user can interrupt the agent. Default true. */
    interruptions: boolean;
    /** Speech needed to interrupt the agent. `low`: three words. `medium`: one word other than a backchannel such as “ok”. `high`: any word. Default `medium`. */
    interruptions_sensitivity: InterruptionSensitivity;
    /** What ends a user turn. `auto`: the transcriber where it detects turns, otherwise rules. `rules`: the words and pauses of the user. `provider`: the transcriber; 422 where it detects none. `model`: rules, corrected by the acoustic end-of-turn model of the operator where the service has one. Default `auto`. */
    turn_detection: TurnDetection;
    /** true: noise of the user’s line is suppressed for the transcriber and for voice activity; recordings keep it. Costs 2 % of a core a call. Default false. */
    noise_suppression: boolean;
    /** Words that the transcriber should recognize, at most 500, each 1 to 100 characters. */
    custom_vocabulary: string[];
    /** Declared variables, followed by the built-in ones. */
    variables: Variable[];
    /** true: record calls. Default true. */
    recording: boolean;
    /** Announces the recording and lets the user refuse it. Then recording and tape are deleted, and nothing more is recorded. Default: no announcement. */
    recording_consent?: RecordingConsent;
    /** true: keep a tape of each call, which can be replayed. Default false. */
    record_tape: boolean;
    /** Personal data that is replaced by its kind in brackets, such as `[card]`, before anything of a call is stored, logged or sent in a webhook: in transcript, variables, tool arguments and results, and the tape. The model and the tools of the call still get the true text. Recordings are redacted only with `audio`. Default: nothing is redacted. */
    redaction?: Redaction;
    /** Seconds of user speech after which the agent interrupts, 5 to 600. Default: never. */
    max_monologue?: number;
    /** Rules for collecting DTMF digits of the user into an entry. */
    dtmf: DtmfRules;
    /** Providers that take over during a call if one fails, in this order. */
    fallbacks: Fallbacks;
    on_provider_failure?: OnProviderFailure;
    /** Pronunciations of words for the voice, at most 500. */
    pronunciations: Pronunciation[];
    /** Purpose of the call, stated to call screening, at most 2,000 characters. May contain `{{variables}}`. */
    call_purpose?: string;
    /** Knowledge bases that the model may search in every state, at most 20. */
    knowledge_base_ids: Id[];
    /** Identifier of the agent. */
    id: Id;
    /** Display name. */
    name: string;
    /** Organization that owns the agent. */
    organization_id: Id;
    /** Version that this response shows. */
    version: number;
    /** Newer name of `transcriber`, always equal to it. */
    transcriber_configuration: Transcriber;
    /** URL that receives webhook events. null: none. */
    webhook_url: string | null;
    /** Event kinds sent to `webhook_url`. */
    webhook_subscriptions: WebhookEventType[];
    /** true: `recording_url` of its calls expires after an hour (`RECORDING_LINK_SECONDS`). false: it is permanent. */
    secure_recording_urls: boolean;
    /** Time of creation, ISO 8601. */
    created_at: Timestamp;
    /** Time of the last change, ISO 8601. */
    updated_at: Timestamp;
    /** Likely mistakes in the agent, as when it was created. Only in the response to an update. Missing without any. */
    warnings?: AgentWarning[];
};
export type AgentPageResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: Agent[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
    /** Cursor of the next request, with `use_cursor=true` only. null: this is the last page. */
    next_cursor?: string | null;
    /** Number of this page, from 1, with `use_cursor=false` only. */
    current_page?: number;
    /** Number of pages, with `use_cursor=false` only. */
    total_pages?: number;
    /** Number of items in all pages, with `use_cursor=false` only. */
    total_items?: number;
};
export type AgentResponse = {
    /** Human-readable result. */
    message: string;
    data: Agent;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type UpdateAgentRequest = {
    /** Language of the conversation, BCP 47, for example `en` or `pt-BR`. Default `en`. */
    language?: string | null;
    /** First message of the agent, at most 1,000 characters. May contain `{{variables}}`. Empty: the agent listens first. */
    initial_message?: string | null;
    /** Seconds between the answer and `initial_message`, 0 to 50. Default 0. On outbound calls at least 1 s, so that the user can speak first. */
    initial_message_delay?: number | null;
    /** true: the user can interrupt `initial_message`. Default true. */
    initial_message_interruptible?: boolean | null;
    /** Maximum duration of a call in seconds from the answer, 10 to 14,400. Default 1,800. Then the call ends. */
    max_call_duration?: number | null;
    /** Phrases for a silent user, at most 100, each 1 to 500 characters. Empty: no presence checks. */
    presence_check_phrases?: string[] | null;
    /** Seconds of silence before a presence check, 3 to 120. Default 10. */
    presence_check_idle_threshold?: number | null;
    /** Presence checks without a response, 1 to 100. Default 1. Then the call ends. */
    presence_check_max_times?: number | null;
    /** Instructions for the model in every state, at most 100,000 characters. May contain `{{variables}}`. */
    base_prompt?: string | null;
    /** Voice of the agent. Default: the voice of the service configuration. `speed`, `model` or `instructions` alone change only these fields of the present voice. */
    voice?: VoiceChange | null;
    /** Language model of the agent. Default: the model of the service configuration. */
    llm?: LanguageModel | null;
    /** Speech-to-text of the agent. Default: the transcriber of the service configuration. */
    transcriber?: Transcriber | null;
    /** States of the conversation, 1 to 100. */
    states?: State[] | null;
    /** Name of the state in which conversations start. */
    initial_state_name?: string | null;
    /** true: the user can interrupt the agent. Default true. */
    interruptions?: boolean | null;
    /** Speech needed to interrupt the agent. `low`: three words. `medium`: one word other than a backchannel such as “ok”. `high`: any word. Default `medium`. */
    interruptions_sensitivity?: InterruptionSensitivity | null;
    /** What ends a user turn. `auto`: the transcriber where it detects turns, otherwise rules. `rules`: the words and pauses of the user. `provider`: the transcriber; 422 where it detects none. `model`: rules, corrected by the acoustic end-of-turn model of the operator where the service has one. Default `auto`. */
    turn_detection?: TurnDetection | null;
    /** true: noise of the user’s line is suppressed for the transcriber and for voice activity; recordings keep it. Costs 2 % of a core a call. Default false. */
    noise_suppression?: boolean | null;
    /** Words that the transcriber should recognize, at most 500, each 1 to 100 characters. */
    custom_vocabulary?: string[] | null;
    /** Variables extracted in every state, at most 100. Built-in variables may be repeated and are ignored. */
    variables?: Variable[] | null;
    /** true: record calls. Default true. */
    recording?: boolean | null;
    /** Announces the recording and lets the user refuse it. Then recording and tape are deleted, and nothing more is recorded. Default: no announcement. */
    recording_consent?: RecordingConsent | null;
    /** true: keep a tape of each call, which can be replayed. Default false. */
    record_tape?: boolean | null;
    /** Personal data that is replaced by its kind in brackets, such as `[card]`, before anything of a call is stored, logged or sent in a webhook: in transcript, variables, tool arguments and results, and the tape. The model and the tools of the call still get the true text. Recordings are redacted only with `audio`. Default: nothing is redacted. */
    redaction?: Redaction | null;
    /** Seconds of user speech after which the agent interrupts, 5 to 600. Default: never. */
    max_monologue?: number | null;
    /** Rules for collecting DTMF digits of the user into an entry. */
    dtmf?: DtmfRules | null;
    /** Providers that take over during a call if one fails, in this order. */
    fallbacks?: Fallbacks | null;
    /** Behaviour if a provider and all its fallbacks fail. */
    on_provider_failure?: OnProviderFailure | null;
    /** Pronunciations of words for the voice, at most 500. */
    pronunciations?: Pronunciation[] | null;
    /** Purpose of the call, stated to call screening, at most 2,000 characters. May contain `{{variables}}`. */
    call_purpose?: string | null;
    /** Knowledge bases that the model may search in every state, at most 20. */
    knowledge_base_ids?: Id[] | null;
    /** Display name, 1 to 100 characters. */
    name?: string | null;
    /** URL that receives webhook events: http or https, without username and password, at most 2,048 characters. null: none. */
    webhook_url?: (string | null) | null;
    /** Event kinds sent to `webhook_url`. Default: the two variable events. */
    webhook_subscriptions?: WebhookEventType[] | null;
    /** true: `recording_url` of its calls expires after an hour (`RECORDING_LINK_SECONDS`). false: it is permanent. Default false. */
    secure_recording_urls?: boolean | null;
    /** Newer name of `transcriber`. If both are sent, they must be equal. */
    transcriber_configuration?: Transcriber | null;
    /** Read-only. Ignored in requests. */
    id?: unknown | null;
    /** Read-only. Ignored in requests. */
    organization_id?: unknown | null;
    /** Read-only. Ignored in requests. */
    version?: unknown | null;
    /** Read-only. Ignored in requests. */
    created_at?: unknown | null;
    /** Read-only. Ignored in requests. */
    updated_at?: unknown | null;
    /** Read-only. Ignored in requests. */
    warnings?: unknown | null;
};
export type NamedAgent = {
    /** Identifier of the agent. */
    id: Id;
    /** Display name. */
    name: string;
};
export type NamedAgentPageResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: NamedAgent[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
    /** Cursor of the next request, with `use_cursor=true` only. null: this is the last page. */
    next_cursor?: string | null;
    /** Number of this page, from 1, with `use_cursor=false` only. */
    current_page?: number;
    /** Number of pages, with `use_cursor=false` only. */
    total_pages?: number;
    /** Number of items in all pages, with `use_cursor=false` only. */
    total_items?: number;
};
export type WebhookSecret = {
    /** Signing secret as Standard Webhooks defines it: `whsec_` and base64. */
    secret: string;
};
export type WebhookSecretResponse = {
    /** Human-readable result. */
    message: string;
    data: WebhookSecret;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type AgentVersion = {
    /** Number of the version within the agent, from 1. */
    version: number;
    /** Identifier of the configuration. */
    configuration_id: Id;
    /** Time of creation, ISO 8601. */
    created_at: Timestamp;
    /** true: new calls use this version. */
    active: boolean;
    /** true: published. false: a draft. */
    published: boolean;
};
export type AgentVersionListResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: AgentVersion[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type RunTestsRequest = {
    /** The test file: YAML or JSON, as `trunkline test` takes it. Its `agent` may be left out; the path of a file is ignored. */
    content: string;
    /** Version to test, 1 to 2,147,483,647, also a draft. Default: the active version. */
    version?: number;
};
export type AgentTestStop = "too_long" | "too_much_memory" | "too_much_output" | "failed";
export type AgentTestFault = {
    /** Line in the file, from 1. null: the file as a whole. */
    line: number | null;
    /** Column in the line, from 1. null: the file as a whole. */
    column: number | null;
    /** Path of the field, for example `conversations[0].turns[1]`. Empty: the file as a whole. */
    field: string;
    /** What was expected. */
    message: string;
};
export type AgentTestLine = {
    /** What happened. `note`: a warning or an error of the conversation engine. */
    kind: "agent" | "user" | "dtmf" | "state" | "tool" | "variable" | "note" | "end";
    /** What was said, sent, called or returned. Longer texts than 4,000 characters end with `…`. */
    text: string;
};
export type AgentTestFailure = {
    /** The turn that failed, in words. */
    where: string;
    /** Expectations that were not met, and the values in their place. */
    reasons: string[];
    /** All of that turn. */
    happened: AgentTestLine[];
};
export type AgentTestConversation = {
    /** Name of the conversation. */
    name: string;
    /** true: all expectations were met. */
    passed: boolean;
    /** Real time that the conversation took, in milliseconds. */
    duration_ms: number;
    /** null: it passed. */
    failure: AgentTestFailure | null;
    /** The conversation, up to the turn that failed. */
    transcript: AgentTestLine[];
};
export type AgentTestRun = {
    /** `passed`: every conversation passed. `failed`: one failed, or did not run. `not_run`: the file has the faults in `faults`. */
    status: "passed" | "failed" | "not_run";
    /** The version that was tested. */
    version: number;
    /** Number of conversations that passed. */
    passed: number;
    /** Number of conversations that failed. */
    failed: number;
    /** Number of conversations that did not run, because of `stopped`. */
    left_out: number;
    /** Why the run stopped early. null: it did not. */
    stopped: AgentTestStop | null;
    /** Faults of the file, from top to bottom. No conversation ran. */
    faults: AgentTestFault[];
    /** Results, in the order of the file. */
    conversations: AgentTestConversation[];
};
export type AgentTestRunResponse = {
    /** Human-readable result. */
    message: string;
    data: AgentTestRun;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type JsonObject = {
    [key: string]: unknown;
};
export type AgentOverrides = {
    /** Instructions for the model in every state, at most 100,000 characters. Replaces those of the agent. May contain `{{variables}}`. */
    base_prompt?: string;
    /** First message of the agent, at most 1,000 characters. May contain `{{variables}}`. Empty: the agent listens first. */
    initial_message?: string;
    /** Voice of the agent. Omitted fields keep the value of the agent’s voice. */
    voice?: VoiceChange;
    /** Language model of the agent. A state that names a model keeps it. */
    llm?: LanguageModel;
    /** Language of the conversation, BCP 47, for example `en` or `pt-BR`. */
    language?: string;
    /** Maximum duration of the call in seconds from the answer, 10 to 14,400. */
    max_call_duration?: number;
};
export type StageCallRequest = {
    /** Calling number, E.164: + and 7 to 15 digits. */
    from_number: string;
    /** Called number, E.164: + and 7 to 15 digits. */
    to_number: string;
    /** Agent that handles the call. */
    agent_id: Id;
    /** Variables that are set before the conversation starts: at most 1,000 names and JSON values. Prompts and messages use them as `{{name}}`. A variable that the agent declares must have a value of its type, or one that can be converted, such as `"4"` for an integer. */
    dynamic_variables_values?: JsonObject | null;
    /** Fields of the agent that this call replaces: `base_prompt`, `initial_message`, `voice`, `llm`, `language`, `max_call_duration`. They are checked as on the agent. Other calls are not affected. */
    agent_overrides?: AgentOverrides | null;
};
export type CreatedCall = {
    /** Identifier of the call. Read it with `GET /v1/calls/{id}`. */
    call_id: Id;
};
export type CreatedCallResponse = {
    /** Human-readable result. */
    message: string;
    data: CreatedCall;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type SipHeaders = {
    [key: string]: string;
};
export type StartPhoneCallRequest = {
    /** Calling number, E.164. Must be a phone number of your organization. */
    from_number: string;
    /** Number to call, E.164: + and 7 to 15 digits. */
    to_number: string;
    /** Agent that handles the call. */
    agent_id: Id;
    /** Variables that are set before the conversation starts: at most 1,000 names and JSON values. Prompts and messages use them as `{{name}}`. A variable that the agent declares must have a value of its type, or one that can be converted, such as `"4"` for an integer. */
    dynamic_variables_values?: JsonObject | null;
    /** Fields of the agent that this call replaces: `base_prompt`, `initial_message`, `voice`, `llm`, `language`, `max_call_duration`. They are checked as on the agent. Other calls are not affected. */
    agent_overrides?: AgentOverrides | null;
    /** SIP headers of the INVITE, at most 32 with 4 KiB in total. Allowed: `From`, `To`, `P-Asserted-Identity`, `P-Preferred-Identity`, `Privacy`, `Diversion`, `User-Agent`, `Subject` and every `X-` header. */
    custom_headers?: SipHeaders | null;
};
export type CallStatus = "created" | "initiated" | "staged" | "ringing" | "in_progress" | "completed" | "no_answer" | "busy" | "canceled" | "failed";
export type CallDirection = "inbound" | "outbound";
export type CallType = "phone_call" | "web_call";
export type AppliedOverrides = {
    /** Instructions for the model in every state, at most 100,000 characters. Replaces those of the agent. May contain `{{variables}}`. */
    base_prompt?: string;
    /** First message of the agent, at most 1,000 characters. May contain `{{variables}}`. Empty: the agent listens first. */
    initial_message?: string;
    /** Voice of the agent in this call. */
    voice?: Voice;
    /** Language model of the agent. A state that names a model keeps it. */
    llm?: LanguageModel;
    /** Language of the conversation, BCP 47, for example `en` or `pt-BR`. */
    language?: string;
    /** Maximum duration of the call in seconds from the answer, 10 to 14,400. */
    max_call_duration?: number;
};
export type TranscriptEntry = {
    /** Kind of entry: speech of the user or the agent, a tool call or its response, a state change, DTMF digits, or a pause of the recording. */
    role: "user" | "agent" | "tool_call" | "tool_response" | "state_transition" | "dtmf" | "recording_pause";
    /** Number of the entry within the call. An updated entry keeps its number. */
    sequence: number;
    /** Start of the speech or action, ISO 8601. */
    start_time: Timestamp;
    /** End of the speech or action, ISO 8601. null while it continues. */
    end_time: Timestamp | null;
    /** Text of the entry. For the role `agent`: only the words that were played. */
    content: string;
    [key: string]: unknown;
};
export type VariableValue = {
    /** Name of the variable. */
    name: string;
    /** Type of the variable, as declared on the agent. */
    "type": string;
    /** Value of that type. */
    value: unknown;
    /** Time at which the value was set, ISO 8601 in UTC. */
    timestamp: Timestamp;
};
export type QuestionType = "text" | "boolean" | "number" | "selector" | "multi-selector";
export type QuestionOrigin = "user" | "system";
export type AnsweredQuestion = {
    /** Identifier of the question. */
    id: Id;
    /** The question. */
    name: string;
    /** Instructions for the model. */
    description: string;
    /** Type of the answer. */
    question_type: QuestionType;
    /** true: the model may leave the question unanswered. */
    is_optional: boolean;
    /** user: created through the API. system: created by the service. */
    question_origin: QuestionOrigin;
};
export type SelectedOption = {
    /** Option of the question. */
    option: {
        /** Identifier of the option. */
        id: string;
        /** Text of the option. */
        value: string;
    };
};
export type PostCallAnswer = {
    /** Identifier of the answer. */
    id: Id;
    /** The question at the time of the answer. */
    question: AnsweredQuestion;
    /** false: the call contains no answer of the right type. All value fields are then empty. */
    has_answer: boolean;
    /** Answer to a question of type `text`. null for other types. */
    answer_text: string | null;
    /** Answer to a question of type `number`. null for other types. */
    answer_number: number | null;
    /** Answer to a question of type `boolean`. null for other types. */
    answer_boolean: boolean | null;
    /** Selected options of a `selector` or `multi-selector`. Empty for other types. */
    selected_options: SelectedOption[];
};
export type AnswerType = "human" | "voicemail" | "ivr" | "call_screening" | "unknown";
export type RecordingUnavailableReason = "not_ended" | "not_recorded" | "refused" | "disk" | "deleted";
export type RecordingPause = {
    /** Start of the pause, ISO 8601 in UTC. */
    start_time: Timestamp;
    /** End of the pause, ISO 8601 in UTC. null while it continues, and if the process was killed in it. */
    end_time: Timestamp | null;
    /** What began the pause: the API, a state of the agent or a tool of the model. */
    requested_by: "api" | "state" | "tool";
};
export type EndReason = "caller_hangup" | "agent_hangup" | "terminated" | "transferred" | "voicemail_left" | "max_duration" | "silence" | "staging_timeout" | "busy" | "no_answer" | "rejected" | "redirected" | "canceled" | "no_media" | "sip_error" | "transcriber_error" | "llm_error" | "voice_error" | "media_error" | "internal_error" | "node_lost" | "shutdown";
export type TimeSpread = {
    /** Median of all turns, ms. */
    median?: number | null;
    /** 95th percentile of all turns, ms. */
    p95?: number | null;
    /** Longest of all turns, ms. Only in `response_ms`, from some seconds after the end of the call on. */
    max?: number | null;
    [key: string]: unknown;
};
export type MeanAndMax = {
    /** Mean, ms. */
    mean: number;
    /** Maximum, ms. */
    max: number;
};
export type RtpDirection = {
    /** Packets that arrived. */
    packets: number;
    /** Packets that were lost. null if unknown. */
    lost: number | null;
    /** Interarrival jitter (RFC 3550), sampled each second (inbound) or with each RTCP report (outbound). null if unknown. */
    jitter_ms: MeanAndMax | null;
    /** Estimated mean opinion score, 1 to 4.5, from loss, delay and jitter (ITU-T G.107). The G.711 parameters are used for every codec. null if unknown. */
    mos: number | null;
    [key: string]: unknown;
};
export type MediaQuality = {
    /** Round-trip time from the RTCP reports of the peer. null without reports. */
    round_trip_ms: MeanAndMax | null;
    /** RTP received from the peer. */
    inbound: RtpDirection;
    /** RTP sent to the peer, as its RTCP reports describe it. */
    outbound: RtpDirection;
    [key: string]: unknown;
};
export type ProviderUsage = {
    /** Role of the provider in the call. */
    kind: "transcriber" | "llm" | "voice";
    /** Name of the provider, as in agents. */
    provider: string;
    /** Model. null if the provider has no models. */
    model: string | null;
    /** Transcribers: seconds of audio sent. */
    audio_seconds?: number;
    /** Language models: input tokens. */
    input_tokens?: number;
    /** Language models: input tokens that the provider read from its cache. */
    cached_input_tokens?: number;
    /** Language models: output tokens. */
    output_tokens?: number;
    /** Voices: characters sent and accepted, including phrases that are stored in the phrase cache. */
    characters?: number;
    /** Cost in the currency of the price table (`PRICES_FILE`). Missing without a price, and for older calls. */
    cost?: number;
    [key: string]: unknown;
};
export type UserTurn = {
    /** `sequence` of its transcript entry. null for a turn without spoken words, for example DTMF digits. */
    sequence: number | null;
    /** What ended the turn. `pause`: a pause long enough for its words. `acoustic_model`: such a pause, after the acoustic end-of-turn model changed its length. `provider`: the transcriber detected the end. `provider_timeout`: the transcriber detected no end in time. `monologue_limit`: `max_monologue`. `dtmf`: DTMF digits or a typed text. `call_end`: the end or transfer of the call. `other`: the agent had to speak at once, for example after the greeting of a machine. */
    ended_by: "pause" | "acoustic_model" | "provider" | "provider_timeout" | "monologue_limit" | "dtmf" | "call_end" | "other";
    /** Completeness of the words at that end, 0 to 1. null if the rules did not judge them. */
    score: number | null;
    /** Why the words counted as complete or open, the decisive reason first. */
    reasons: string[];
    /** The end of the turn was certain: ms since `start_time`. */
    ended_ms: number;
    /** The turn was committed, as a rule when its answer was first heard or its first tool ran: ms since `start_time`. */
    committed_ms: number;
    /** How many times the user went on after that end and before the answer was heard. */
    reopened: number;
    /** How many times late words changed the turn after its commit. */
    amended: number;
    /** The answer was wrong for the late words, and the model was asked again. */
    corrected: boolean;
    [key: string]: unknown;
};
export type TurnTool = {
    /** Id of the tool call, as in the transcript. */
    tool_call_id: string;
    /** Name of the tool. */
    name: string;
    /** The tool started: ms since `start_time`. */
    started_ms: number;
    /** The tool ended: ms since `start_time`. null if it ran on after the turn. */
    ended_ms: number | null;
    [key: string]: unknown;
};
export type Turn = {
    /** Number of the turn. */
    turn: number;
    /** End of the user speech. For speech of the agent that answers no user turn: its start. */
    start_time: Timestamp;
    /** Number of the agent turn, as in the marks of web calls. null if the user turn was not answered. */
    utterance: number | null;
    /** The user turn. null for speech of the agent that answers none. */
    user: UserTurn | null;
    /** Each request to the model, withdrawn ones included: ms since `start_time`, negative before it. */
    asked_ms: number[];
    /** First token of the model: ms since `start_time`. null if the turn has no such stage. */
    first_token_ms: number | null;
    /** The voice got the first text of the answer: ms since `start_time`. null if the turn has no such stage. */
    voice_requested_ms: number | null;
    /** First audio of the voice: ms since `start_time`. null if the turn has no such stage. */
    first_audio_ms: number | null;
    /** First audio packet of the agent, perhaps of a filler: ms since `start_time`. null if the turn has no such stage. */
    heard_ms: number | null;
    /** First audio packet of the answer itself: ms since `start_time`. null if the turn has no such stage. */
    answer_heard_ms: number | null;
    /** First audio packet of each filler: ms since `start_time`. */
    fillers_ms: number[];
    /** Uses of tools, in order. */
    tools: TurnTool[];
    /** The user interrupted the agent. */
    interrupted: boolean;
    /** Sounds that paused the agent and were no interruption. */
    false_interruptions: number;
    /** Sounds of the user that lowered the agent’s voice. */
    ducked: number;
    /** Words of the agent that the transcriber returned as an echo, and that were dropped. */
    echo_words: number;
    /** From the end of the user speech to the end of the turn, ms. */
    endpointing_ms: number | null;
    /** From the end of the turn to the first token, ms. 0 if eager generation already had it. */
    llm_first_token_ms: number | null;
    /** From the first text sent to the voice to its first audio, ms. */
    voice_first_audio_ms: number | null;
    /** Time spent in the service itself, ms. */
    engine_ms: number | null;
    /** From the end of the user speech to the first audio packet of the agent, ms. */
    response_ms: number | null;
    [key: string]: unknown;
};
export type CallMetrics = {
    /** User turns that were committed. */
    turns?: number;
    /** Interruptions: the user spoke and cut the agent off. */
    interruptions?: number;
    /** False interruptions: the agent paused for a sound and then continued. */
    false_interruptions?: number;
    /** Sounds of the user that lowered the agent’s voice. */
    ducked?: number;
    /** Words of the agent that the transcriber returned as an echo, and that were dropped. */
    echo_words?: number;
    /** How many times a user went on after the end of their turn, before the answer was heard. */
    reopened?: number;
    /** How many times late words changed a committed user turn. */
    amended?: number;
    /** Eager generations that were used: started before the end of the user turn, and spoken. */
    eager_hits?: number;
    /** Eager generations that were dropped: started before the end of the user turn, never spoken. */
    eager_misses?: number;
    /** From the end of the user speech to the end of the turn, ms. */
    endpointing_ms?: TimeSpread;
    /** From the end of the turn to the first token of the model, ms. */
    llm_first_token_ms?: TimeSpread;
    /** From the first text sent to the voice to its first audio, ms. */
    voice_first_audio_ms?: TimeSpread;
    /** Time spent in the service itself, ms. */
    engine_ms?: TimeSpread;
    /** From the end of the user speech to the first audio packet of the agent, ms. */
    response_ms?: TimeSpread;
    media?: MediaQuality;
    /** Cause of the end. After a provider failure: the provider, the failure and its HTTP status. For a refused call: `SIP`, the status, the reason phrase and what the Reason header adds. Else the fault: an unreachable or unresolved host, or the timer that expired. After a crash: that the service or node was lost, and when that was found. */
    end_detail?: string;
    /** Usage in total: `input_tokens`, `output_tokens`, `voice_characters`, `transcribed_ms`. Answers that were prepared before the end of a turn and never heard count too. */
    usage?: {
        [key: string]: number;
    };
    /** Usage by provider and model, including fallbacks. */
    providers?: ProviderUsage[];
    /** Cost by part, in the currency of the price table (`PRICES_FILE`). 0 without prices. */
    cost?: {
        [key: string]: number;
    };
    /** Record of each turn, in order. Missing in lists. */
    per_turn?: Turn[];
    [key: string]: unknown;
};
export type Call = {
    /** Identifier of the call, returned as `call_id` when it was created. */
    id: Id;
    /** Status of the call. `completed`, `no_answer`, `busy`, `canceled` and `failed` are final. */
    status: CallStatus;
    /** Calling number, E.164. null for a web call or a withheld number. */
    from_number: string | null;
    /** Called number, E.164. null for a web call. */
    to_number: string | null;
    /** inbound: the user called. outbound: the service called. */
    direction: CallDirection;
    /** Organization that owns the call. */
    organization_id: Id;
    "type": CallType;
    /** Agent of the call. For a call that its number redirected: the inbound agent of the number, whose webhook and recording settings apply; null without one. */
    agent_id: Id | null;
    /** Version of the agent, fixed when the call is created. null if no agent runs, as on a call that its number redirected. */
    agent_version: number | null;
    /** Fields of the agent that this call replaces. null: none. Missing in lists. */
    agent_overrides?: AppliedOverrides | null;
    /** Metadata that `PATCH /v1/calls/{id}` set. */
    metadata: JsonObject;
    /** Time of creation, ISO 8601. */
    created_at: Timestamp;
    /** Time of the answer, ISO 8601. null before the answer. */
    start_time: Timestamp | null;
    /** End of the call, ISO 8601. null before the end. */
    end_time: Timestamp | null;
    /** Seconds from the answer to the end. 0 before the end and for an unanswered call. */
    duration_seconds: number;
    /** Seconds for which the user was bridged to another party. */
    redirect_duration_seconds: number;
    /** Cost of the call in the currency of the price table (`PRICES_FILE`). 0 without prices. */
    cost: number;
    /** Transcript as text: one line per entry of the user (`User: …`) and the agent (`Agent: …`). */
    transcript_string: string;
    /** Entries of the transcript, ordered by start of the speech or action. */
    transcript: TranscriptEntry[];
    /** Latest value of each variable. */
    variable_values: VariableValue[];
    /** Answers to the post-call questions, in the order of the questions. Empty until they are ready, some seconds after the end. */
    post_call_answers: PostCallAnswer[];
    /** Kind of party that answered. null before the answer. */
    answer_type: AnswerType | null;
    /** URL of the recording, a stereo WAV file. null before the end of the call and without a recording. */
    recording_url: string | null;
    /** Why `recording_url` is null. `not_ended`: the call continues. `not_recorded`: the agent does not record, or the call was not answered. `refused`: the user refused the recording. `disk`: the recording was not written; the disk had too little space (`DISK_LOW_WATER_MB`) or failed, or the recorder failed. `deleted`: the content was deleted. null with a recording. */
    recording_unavailable_reason: RecordingUnavailableReason | null;
    /** What the user answered to the announcement of `recording_consent`. `given`: they heard it and did not refuse. `refused`: recording and tape were deleted. `not_asked`: the agent has no announcement, or it was not heard to its end. */
    recording_consent: "given" | "refused" | "not_asked";
    /** Pauses of the recording, also without one: nothing that was said and typed in them was kept. Missing in lists. */
    recording_pauses?: RecordingPause[];
    /** true: `recording_url` expires after an hour (`RECORDING_LINK_SECONDS`). false: it is permanent. */
    secure_recording_url: boolean;
    /** Reason for the end of the call. null before the end. */
    end_reason: EndReason | null;
    /** Number or SIP URI that the call was redirected to: by the callee or by the destination of a bridge (SIP 3xx), whether or not it was dialled, or by a number with `redirect`. null: not redirected. */
    redirect_target: string | null;
    metrics: CallMetrics;
    /** Call-ID of the SIP dialog. null without a SIP dialog. */
    sip_call_id: string | null;
};
export type CallPageResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: Call[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
    /** Cursor of the next request, with `use_cursor=true` only. null: this is the last page. */
    next_cursor?: string | null;
    /** Number of this page, from 1, with `use_cursor=false` only. */
    current_page?: number;
    /** Number of pages, with `use_cursor=false` only. */
    total_pages?: number;
    /** Number of items in all pages, with `use_cursor=false` only. */
    total_items?: number;
};
export type CallResponse = {
    /** Human-readable result. */
    message: string;
    data: Call;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type UpdateMetadataRequest = {
    metadata: JsonObject;
    /** true: replace the existing metadata, null values included. false: merge key by key; null values are ignored. */
    "override"?: boolean;
};
export type SayOnCallRequest = {
    /** Text that the agent speaks, 1 to 1,000 characters. */
    text: string;
    /** true: interrupt the current speech of the agent. false: wait until it has ended. */
    interrupt?: boolean;
    /** false: the text is heard to its end. What the user says during it is answered afterwards. */
    interruptible?: boolean;
};
export type TransferCallRequest = {
    /** E.164 number, or a `tel:` or `sip:` URI. It must be one that the organization may dial. */
    destination: string;
    /** `refer`: the user’s side calls the destination. `bridge`: we call it and connect both. A refused REFER is bridged. */
    mode?: "refer" | "bridge";
    /** Seconds that the destination may ring, 5 to 180. Then the transfer fails and the agent continues. */
    ring_timeout?: number;
    /** Text that the agent speaks first, 1 to 1,000 characters. It is heard to its end. */
    announcement?: string;
};
export type AddContextRequest = {
    /** Information for the model, 1 to 10,000 characters. */
    content: string;
};
export type CallActivity = "initializing" | "listening" | "user_speaking" | "machine_speaking" | "thinking" | "agent_speaking" | "paused" | "transferring";
export type RunningCall = {
    /** Identifier of the call. */
    id: Id;
    /** Status of the call. */
    status: CallStatus;
    "type": CallType;
    /** inbound: the user called. outbound: the service called. */
    direction: CallDirection;
    /** Calling number, E.164. null for a web call or a withheld number. */
    from_number: string | null;
    /** Called number, E.164. null for a web call. */
    to_number: string | null;
    /** Agent of the call. null for a redirected call of a number without an agent. */
    agent_id: Id | null;
    /** Version of the agent. null if no agent runs. */
    agent_version: number | null;
    /** Time of creation, ISO 8601. */
    created_at: Timestamp;
    /** Time of the answer, ISO 8601. null before the answer. */
    start_time: Timestamp | null;
    /** What happens now. null before the conversation, without an agent, and while the node of the call does not respond. */
    activity: CallActivity | null;
    /** State of the agent. null together with `activity`. */
    state: string | null;
    /** Response time of the latest turn that was answered, ms. null before the first one, or with `activity`. */
    response_ms: number | null;
};
export type RunningCallListResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: RunningCall[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type TimelineSpeech = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** End, ms since `start_time`. null: not ended. */
    end_ms: number | null;
    /** Who spoke. */
    role: "user" | "agent";
    /** `sequence` of the transcript entry. */
    sequence: number;
    /** The words. Of the agent: those that were heard. */
    content: string;
    /** What the model wrote, if the user did not hear all of it. null: all was heard. */
    generated_content: string | null;
    /** true: the user interrupted the agent. */
    interrupted: boolean;
};
export type TimelineInterval = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** End, ms since `start_time`. */
    end_ms: number;
};
export type TimelineTurn = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** End, ms since `start_time`. */
    end_ms: number;
    /** The record of the turn, as in `metrics.per_turn`. */
    record: Turn;
};
export type TimelineTool = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** End, ms since `start_time`. null: not ended. */
    end_ms: number | null;
    /** Identifier of the tool call. */
    tool_call_id: string;
    /** Name of the tool. */
    name: string;
    /** Type of the tool. */
    "type": string;
    /** Arguments of the tool call. */
    arguments: JsonObject;
    /** Result that the model got. null without a result. */
    result: string | null;
    /** false: the tool failed. null without a result. */
    successful: boolean | null;
    /** HTTP status of a custom function. null without a response. */
    http_status: number | null;
};
export type TimelineState = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** End, ms since `start_time`. null: not ended. */
    end_ms: number | null;
    /** Name of the state. */
    name: string;
    /** Name of the state before. null: the initial state. */
    "from": string | null;
    /** Condition of the transition. null: the initial state. */
    condition: string | null;
};
export type TimelineVariable = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** Name of the variable. */
    name: string;
    /** Type of the variable. */
    "type": string;
    /** The value that it got. */
    value: unknown;
};
export type TimelineFiller = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** Number of the turn. */
    turn: number;
};
export type TimelineDtmf = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** End, ms since `start_time`. null: not ended. */
    end_ms: number | null;
    /** The digits of the entry. */
    digits: string;
};
export type TimelineProviderFailure = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** Role of the provider in the call. */
    kind: "transcriber" | "llm" | "voice";
    /** Name of the provider. */
    provider: string;
    /** The provider that followed. null: it was asked again, or was the last. */
    fallback: string | null;
    /** Why it failed. */
    error: string;
};
export type TransferMode = "refer" | "bridge";
export type TimelineTransfer = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** End, ms since `start_time`. null: not ended. */
    end_ms: number | null;
    /** Number or SIP URI. */
    destination: string;
    /** How the call was transferred. */
    mode: TransferMode;
    /** How far it got. */
    status: "started" | "completed" | "failed";
    /** Why it failed. null if it did not. */
    reason: string | null;
};
export type TimelineWait = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** End, ms since `start_time`. */
    end_ms: number;
    /** `transcription`: from the end of speech to its words. `model`: a request and its response. `voice`: from a text to its first audio. `transcriber_failure`: until the next words. `playback_pause`: the user paused the agent. `dtmf_entry`: from a digit to the end of the wait for another one. `machine_wait`: whether an answering machine or a menu goes on. `on_hold`. `media_suspended`: the media worker was restarting. `late_timer`: the service was busy. */
    "type": "transcription" | "model" | "voice" | "transcriber_failure" | "playback_pause" | "dtmf_entry" | "machine_wait" | "on_hold" | "media_suspended" | "late_timer";
    /** First token of the model, ms since `start_time`. null without. */
    first_token_ms: number | null;
    /** First sentence or tool call of the model, ms since `start_time`. null without. */
    first_text_ms: number | null;
    /** Why it failed. null if it did not. */
    error: string | null;
};
export type TimelineDirection = {
    /** Packets that arrived (inbound) or were sent (outbound). */
    packets: number;
    /** Packets that were lost. null if unknown. */
    lost: number | null;
    /** Mean interarrival jitter, ms. null if unknown. */
    jitter_ms: number | null;
    /** Estimated mean opinion score, 1 to 4.5. null if unknown. */
    mos: number | null;
};
export type TimelineNetwork = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** End, ms since `start_time`. */
    end_ms: number;
    /** Mean round-trip time, ms. null without reports of the peer. */
    round_trip_ms: number | null;
    /** RTP received from the user. */
    inbound: TimelineDirection;
    /** RTP sent to the user, as the RTCP reports of the peer describe it. */
    outbound: TimelineDirection;
};
export type SilenceCause = {
    /** Cause, for example `model_slow`, `tool`, `packet_loss`, `unknown`. */
    "type": string;
    /** Its part of the silence, ms. */
    ms: number;
    /** Its share of the silence, 0 to 1. */
    share: number;
    /** true: a part of the silence, but no fault. The words, the model or the voice took no longer than usual: 0.5, 0.7 and 0.5 s. */
    usual: boolean;
    /** The cause with its evidence, in English. */
    text: string;
    /** The evidence as values. The names depend on `type`; names in `_ms` are durations. */
    evidence: JsonObject;
};
export type Silence = {
    /** Begin, ms since `start_time`. */
    start_ms: number;
    /** End, ms since `start_time`. */
    end_ms: number;
    /** What ended before it. */
    after: "start" | "user" | "agent";
    /** What followed. user: the user spoke again and had not been answered. */
    before: "agent" | "user" | "end";
    /** The causes, the largest first. */
    causes: SilenceCause[];
    /** The silence and its causes as one line of English. */
    text: string;
};
export type CallTimeline = {
    /** Identifier of the call. */
    call_id: Id;
    /** 0 on the time axis: the answer. Before the answer, the creation of the call. */
    start_time: Timestamp;
    /** End of the call, ms since `start_time`. null while it runs. */
    end_ms: number | null;
    /** What was said, as in the transcript. */
    speech: TimelineSpeech[];
    /** Voice activity of the user, with or without words. */
    user_voice: TimelineInterval[];
    /** When the user heard the agent. */
    agent_voice: TimelineInterval[];
    /** The turns with their stages. */
    turns: TimelineTurn[];
    /** Tool calls with arguments and results. */
    tools: TimelineTool[];
    /** The path through the states of the agent. */
    states: TimelineState[];
    /** Values of variables, in the order in which they were set. */
    variables: TimelineVariable[];
    /** Fillers that were heard. */
    fillers: TimelineFiller[];
    /** DTMF digits of the user. */
    dtmf: TimelineDtmf[];
    /** Providers that failed, with their fallbacks. */
    provider_failures: TimelineProviderFailure[];
    /** Transfers. */
    transfers: TimelineTransfer[];
    /** What the call waited for. */
    waits: TimelineWait[];
    /** Network quality over time. Empty for a web call. */
    network: TimelineNetwork[];
    /** Each silence with its causes. null: not known, as for a call without an agent. */
    silences: Silence[] | null;
};
export type CallTimelineResponse = {
    /** Human-readable result. */
    message: string;
    data: CallTimeline;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type StartWebCallRequest = {
    /** Agent that handles the call. */
    agent_id: Id;
    /** Version of the agent, 1 to 2,147,483,647, also a draft: try it before you deploy it. Default: the active version. */
    agent_version?: number | null;
    /** Variables that are set before the conversation starts: at most 1,000 names and JSON values. Prompts and messages use them as `{{name}}`. A variable that the agent declares must have a value of its type, or one that can be converted, such as `"4"` for an integer. */
    dynamic_variables_values?: JsonObject | null;
    /** Fields of the agent that this call replaces: `base_prompt`, `initial_message`, `voice`, `llm`, `language`, `max_call_duration`. They are checked as on the agent. Other calls are not affected. */
    agent_overrides?: AgentOverrides | null;
};
export type CreatedWebCall = {
    /** Identifier of the call. Read it with `GET /v1/calls/{id}`. */
    call_id: Id;
    /** Token for one media connection, valid for 60 seconds. Keep it out of logs. */
    access_token: string;
    /** WebSocket URL of the media, including the token. Open it unchanged. */
    media_url: string;
};
export type CreatedWebCallResponse = {
    /** Human-readable result. */
    message: string;
    data: CreatedWebCall;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type PhoneNumberType = "pstn" | "sip";
export type RedirectMode = "sip_302" | "bridge";
export type SipHeaderVariable = {
    /** Name of the header, in any case: `User-to-User`, an `X-` header or another. Not: credentials and headers with the identity of the caller. */
    header: string;
    /** Name of the variable: letters, digits, `_` and `-`, 1 to 64 characters. */
    variable: string;
};
export type PhoneNumber = {
    /** Identifier of the phone number. */
    id: Id;
    /** The phone number, E.164. */
    "number": string;
    /** Display name. */
    name: string;
    /** Time of creation, ISO 8601. */
    created_at: Timestamp;
    /** Network of the number. Informational only. */
    "type": PhoneNumberType;
    /** Agent that answers inbound calls to this number. Staged calls use their own agent. null: unstaged calls are refused. */
    inbound_agent_id: Id | null;
    /** true: calls to this number go to `redirect_phone_number` instead of an agent. Needs `redirect_phone_number`. */
    redirect: boolean;
    /** Destination of redirected calls, E.164: + and 7 to 15 digits. null: none. */
    redirect_phone_number: string | null;
    /** How calls are redirected. `sip_302`: the inbound INVITE is answered with 302, and the call ends as `redirected`. `bridge`: the service calls `redirect_phone_number` through the trunk of this number and connects both parties, as a call without an agent. */
    redirect_mode: RedirectMode;
    /** SIP trunk for outbound calls from this number. null: no outbound calls. */
    trunk_id: Id | null;
    /** URL that is asked about each call to this number before the answer, with a signed request: `inbound_call_lookup` in the webhooks section. It may choose agent, variables and overrides, or refuse the call. Without a valid answer within 2 seconds `inbound_agent_id` takes the call. Needs an `inbound_agent_id` whose agent has a webhook secret. Staged and redirected calls are not looked up. null: none. */
    lookup_webhook_url: string | null;
    /** Headers of the INVITE that become variables of the call, at most 20. `User-to-User` (RFC 7433) is decoded: its data without parameters, with `encoding=hex` the text that it spells. A value that has not the type that the agent declares is ignored. The caller may have written these values: a transfer follows them only within `allowed_destinations`. */
    sip_header_variables: SipHeaderVariable[];
    /** SIP URI of a number of type `sip`. null: none. */
    sip_uri?: string | null;
};
export type PhoneNumberPageResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: PhoneNumber[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
    /** Cursor of the next request, with `use_cursor=true` only. null: this is the last page. */
    next_cursor?: string | null;
    /** Number of this page, from 1, with `use_cursor=false` only. */
    current_page?: number;
    /** Number of pages, with `use_cursor=false` only. */
    total_pages?: number;
    /** Number of items in all pages, with `use_cursor=false` only. */
    total_items?: number;
};
export type CreatePhoneNumberRequest = {
    /** The phone number, E.164: + and 7 to 15 digits. */
    "number": string;
    /** Display name, 1 to 100 characters. Default: the number. */
    name?: string;
    "type"?: PhoneNumberType;
    /** Agent that answers inbound calls to this number. Staged calls use their own agent. null: unstaged calls are refused. */
    inbound_agent_id?: Id | null;
    /** true: calls to this number go to `redirect_phone_number` instead of an agent. Needs `redirect_phone_number`. */
    redirect?: boolean;
    /** Destination of redirected calls, E.164: + and 7 to 15 digits. null: none. */
    redirect_phone_number?: string | null;
    redirect_mode?: RedirectMode;
    /** SIP trunk for outbound calls from this number. null: no outbound calls. */
    trunk_id?: Id | null;
    /** URL that is asked about each call to this number before the answer, with a signed request: `inbound_call_lookup` in the webhooks section. It may choose agent, variables and overrides, or refuse the call. Without a valid answer within 2 seconds `inbound_agent_id` takes the call. Needs an `inbound_agent_id` whose agent has a webhook secret. Staged and redirected calls are not looked up. null: none. */
    lookup_webhook_url?: string | null;
    /** Headers of the INVITE that become variables of the call, at most 20. `User-to-User` (RFC 7433) is decoded: its data without parameters, with `encoding=hex` the text that it spells. A value that has not the type that the agent declares is ignored. The caller may have written these values: a transfer follows them only within `allowed_destinations`. */
    sip_header_variables?: SipHeaderVariable[];
};
export type PhoneNumberResponse = {
    /** Human-readable result. */
    message: string;
    data: PhoneNumber;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type UpdatePhoneNumberRequest = {
    /** Display name, 1 to 100 characters. */
    name?: string;
    /** Agent that answers inbound calls to this number. Staged calls use their own agent. null: unstaged calls are refused. */
    inbound_agent_id?: Id | null;
    /** true: calls to this number go to `redirect_phone_number` instead of an agent. Needs `redirect_phone_number`. */
    redirect?: boolean;
    /** Destination of redirected calls, E.164: + and 7 to 15 digits. null: none. */
    redirect_phone_number?: string | null;
    redirect_mode?: RedirectMode;
    /** SIP trunk for outbound calls from this number. null: no outbound calls. */
    trunk_id?: Id | null;
    /** URL that is asked about each call to this number before the answer, with a signed request: `inbound_call_lookup` in the webhooks section. It may choose agent, variables and overrides, or refuse the call. Without a valid answer within 2 seconds `inbound_agent_id` takes the call. Needs an `inbound_agent_id` whose agent has a webhook secret. Staged and redirected calls are not looked up. null: none. */
    lookup_webhook_url?: string | null;
    /** Headers of the INVITE that become variables of the call, at most 20. `User-to-User` (RFC 7433) is decoded: its data without parameters, with `encoding=hex` the text that it spells. A value that has not the type that the agent declares is ignored. The caller may have written these values: a transfer follows them only within `allowed_destinations`. */
    sip_header_variables?: SipHeaderVariable[];
    /** Read-only. Ignored in requests. */
    id?: unknown;
    /** Read-only. Ignored in requests. */
    "number"?: unknown;
    /** Read-only. Ignored in requests. */
    created_at?: unknown;
    /** Read-only. Ignored in requests. */
    "type"?: unknown;
    /** Read-only. Ignored in requests. */
    sip_uri?: unknown;
};
export type NewQuestionOption = {
    /** Text of the option, 1 to 500 characters. */
    value: string;
    /** Identifier of an existing option to keep. Default: a new identifier. */
    option_id?: Id;
    /** The same as `option_id`, as responses name it. */
    id?: Id;
    /** Read-only. Ignored in requests. */
    created_at?: unknown;
};
export type NewPostCallQuestion = {
    /** Identifier of the question. Default: a new identifier. */
    id?: Id;
    /** The question, 1 to 200 characters. */
    name: string;
    /** Instructions for the model, at most 5,000 characters. */
    description?: string;
    /** Type of the answer. `selector`: one of `options`. `multi-selector`: any number of `options`. */
    "type": QuestionType;
    /** true: the model may leave the question unanswered. false: it answers unless the call contains nothing about it. */
    optional?: boolean;
    /** Model that answers the question, from the provider of the agent, at most 200 characters. null: the model of the agent. */
    model?: string | null;
    /** Options of a `selector` or `multi-selector`, 2 to 50. Must be empty for other types. */
    options?: NewQuestionOption[];
    /** Example answers for the model, at most 20, each 1 to 1,000 characters. */
    examples?: string[];
};
export type CreateQuestionsRequest = {
    /** Questions to add, 1 to 50. */
    questions: NewPostCallQuestion[];
};
export type QuestionOption = {
    /** Identifier of the option, used in answers. */
    id: Id;
    /** Text of the option. */
    value: string;
    /** Time of creation, ISO 8601. */
    created_at: Timestamp;
};
export type PostCallQuestion = {
    /** Identifier of the question. */
    id: Id;
    /** Agent that the question belongs to. */
    agent_id: Id;
    /** The question. */
    name: string;
    /** Instructions for the model. */
    description: string;
    /** Type of the answer. `selector`: one of `options`. `multi-selector`: any number of `options`. */
    "type": QuestionType;
    /** false: deactivated, no longer answered. */
    is_active: boolean;
    /** user: created through the API. system: created by the service. */
    question_origin: QuestionOrigin;
    /** Time of creation, ISO 8601. */
    created_at: Timestamp;
    /** Time of the last change, ISO 8601. */
    updated_at: Timestamp;
    /** true: the model may leave the question unanswered. false: it answers unless the call contains nothing about it. */
    optional: boolean;
    /** Model that answers the question: its own, or else the present model of the agent. */
    model: string;
    /** Options of a `selector` or `multi-selector`. Empty for other types. */
    options: QuestionOption[];
    /** Example answers for the model. */
    examples: string[];
};
export type PostCallQuestionListResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: PostCallQuestion[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type PostCallQuestionResponse = {
    /** Human-readable result. */
    message: string;
    data: PostCallQuestion;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type UpdateQuestionRequest = {
    /** The question, 1 to 200 characters. */
    name?: string;
    /** Instructions for the model, at most 5,000 characters. */
    description?: string;
    "type"?: QuestionType;
    /** true: the model may leave the question unanswered. false: it answers unless the call contains nothing about it. */
    optional?: boolean;
    /** Model that answers the question, from the provider of the agent, at most 200 characters. null: the model of the agent. */
    model?: string | null;
    /** Options of a `selector` or `multi-selector`, 2 to 50. Must be empty for other types. */
    options?: NewQuestionOption[];
    /** Example answers for the model, at most 20, each 1 to 1,000 characters. */
    examples?: string[];
    /** false: deactivate the question. true: activate it again. */
    is_active?: boolean;
    /** Read-only. Ignored in requests. */
    id?: unknown;
    /** Read-only. Ignored in requests. */
    agent_id?: unknown;
    /** Read-only. Ignored in requests. */
    question_origin?: unknown;
    /** Read-only. Ignored in requests. */
    created_at?: unknown;
    /** Read-only. Ignored in requests. */
    updated_at?: unknown;
};
export type CreateKnowledgeBaseRequest = {
    /** Display name, 1 to 100 characters. */
    name: string;
};
export type SourceStatus = "ingesting" | "ready" | "failed";
export type KnowledgeSource = {
    /** Identifier of the source. */
    id: Id;
    /** Time of creation, ISO 8601. */
    created_at: Timestamp;
    /** File name of a PDF, title of a text. */
    file_name: string;
    /** URL of the source content. Requests need the API key. */
    file_url: string;
    /** file: a PDF. text: a text from `text_sources`. */
    "type": "file" | "text";
    /** ingesting: being read. ready: searchable. failed: cannot be read, see `error`. */
    status: SourceStatus;
    /** Cause of the failure. null unless `status` is `failed`. */
    error: string | null;
};
export type KnowledgeBase = {
    /** Identifier of the knowledge base. */
    id: Id;
    /** Display name. */
    name: string;
    /** Time of creation, ISO 8601. */
    created_at: Timestamp;
    /** ingesting: at least one source is being read. failed: no source could be read. ready: otherwise. */
    status: SourceStatus;
    /** Error of the first source if `status` is `failed`. null otherwise. */
    error: string | null;
    /** Organization that owns the knowledge base. */
    organization_id: Id;
    /** Sources in the order of their upload, at most 200. */
    sources: KnowledgeSource[];
};
export type KnowledgeBaseResponse = {
    /** Human-readable result. */
    message: string;
    data: KnowledgeBase;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type KnowledgeBasePageResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: KnowledgeBase[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
    /** Cursor of the next request, with `use_cursor=true` only. null: this is the last page. */
    next_cursor?: string | null;
    /** Number of this page, from 1, with `use_cursor=false` only. */
    current_page?: number;
    /** Number of pages, with `use_cursor=false` only. */
    total_pages?: number;
    /** Number of items in all pages, with `use_cursor=false` only. */
    total_items?: number;
};
export type KnowledgePassage = {
    /** Source of the passage. */
    source_id: Id;
    /** File name of a PDF, title of a text. */
    file_name: string;
    /** Page, from 1. null in a source without pages. */
    page: number | null;
    /** Heading above the passage. Empty without one. */
    heading: string;
    /** Text of the passage. */
    content: string;
    /** Rank score: 1 if the passage is the first of every ranking. Rankings: by words and, with an embedding model, by meaning. It compares the passages of one search only. */
    score: number;
};
export type KnowledgePassageListResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: KnowledgePassage[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type KnowledgeSourceText = {
    /** Page, from 1. null in a source without pages. */
    page: number | null;
    /** Heading above the passage. Empty without one. */
    heading: string;
    /** Text of the passage. */
    content: string;
};
export type KnowledgeSourceTextPageResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: KnowledgeSourceText[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
    /** Cursor of the next request, with `use_cursor=true` only. null: this is the last page. */
    next_cursor?: string | null;
    /** Number of this page, from 1, with `use_cursor=false` only. */
    current_page?: number;
    /** Number of pages, with `use_cursor=false` only. */
    total_pages?: number;
    /** Number of items in all pages, with `use_cursor=false` only. */
    total_items?: number;
};
export type SipTransport = "udp" | "tcp" | "tls";
export type SrtpMode = "off" | "optional" | "required";
export type TrunkReachability = {
    /** true: the last OPTIONS request got a response other than 408 and 503. */
    reachable: boolean;
    /** SIP status of that response. null: no response within 5 seconds. */
    status: number | null;
    /** Time from the request to the response, ms. null without a response. */
    round_trip_ms: number | null;
    /** Cause of a missing response. null if there was one. For a private address outside the networks of the operator, 408, 503 and a closed port are `no answer` too. */
    error: string | null;
    /** Time of the last change of `reachable` on the node `node_id`, ISO 8601. */
    since: Timestamp;
    /** Node that made this check: of several nodes, the one that reaches the trunk worst. null with SQLite. */
    node_id: string | null;
    /** Nodes from which the trunk is not reachable. A call of another node may succeed. */
    unreachable_nodes: string[];
};
export type TrunkRegistration = {
    /** State of the registration. A failed registration is retried. */
    status: "registering" | "registered" | "failed" | "unregistered";
    /** Expiry of the registration, ISO 8601. null while not registered. */
    expires_at: Timestamp | null;
    /** Cause of the last failure. null without one. */
    error: string | null;
    /** Node that registers with the trunk. null with SQLite. */
    node_id: string | null;
};
export type SipTrunk = {
    /** Identifier of the SIP trunk. */
    id: Id;
    /** Display name. */
    name: string;
    /** Destination of outbound calls: host or host:port. Without a port, NAPTR and SRV records are used. */
    termination_uri: string;
    transport: SipTransport;
    /** Username for digest authentication. null: none. */
    username: string | null;
    /** Source addresses of inbound calls from this trunk: IP addresses or CIDR ranges. Empty: any. */
    allowed_addresses: string[];
    /** true: the service registers with the trunk. */
    register: boolean;
    /** Codecs for calls on this trunk, in order of preference. Empty: all codecs of the service. */
    codecs: string[];
    srtp: SrtpMode;
    /** true: DTMF tones in the audio are detected, too. */
    inband_dtmf: boolean;
    /** Maximum number of simultaneous outbound calls. null: no limit. */
    max_concurrent_calls: number | null;
    /** Maximum number of outbound calls started per second. null: no limit. */
    max_calls_per_second: number | null;
    /** Rank as a fallback trunk, the lowest first. null: no fallback. */
    priority: number | null;
    /** Seconds between two SIP OPTIONS requests. null: no checks. */
    options_interval: number | null;
    /** Country of the trunk, ISO 3166-1 alpha-2 (`FR`). Numbers without `+` in SIP URIs are dialled as in this country. null: they are refused. */
    country: string | null;
    /** User part of From in outbound calls, as some carriers require; the calling number is then sent as P-Preferred-Identity. null: the calling number. */
    from_user: string | null;
    /** Host of From in outbound calls. null: the address of the service. */
    from_domain: string | null;
    /** Result of the reachability checks. null before the first check and without checks. */
    reachability: TrunkReachability | null;
    /** Registration with the trunk. null without a registration. */
    registration: TrunkRegistration | null;
    /** Time of creation, ISO 8601. */
    created_at: Timestamp;
};
export type SipTrunkPageResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: SipTrunk[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
    /** Cursor of the next request, with `use_cursor=true` only. null: this is the last page. */
    next_cursor?: string | null;
    /** Number of this page, from 1, with `use_cursor=false` only. */
    current_page?: number;
    /** Number of pages, with `use_cursor=false` only. */
    total_pages?: number;
    /** Number of items in all pages, with `use_cursor=false` only. */
    total_items?: number;
};
export type Codec = "pcmu" | "pcma" | "g722" | "opus";
export type Country = "AC" | "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GT" | "GU" | "GW" | "GY" | "HK" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TA" | "TC" | "TD" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
export type CreateSipTrunkRequest = {
    /** Display name, 1 to 100 characters. */
    name: string;
    /** Destination of outbound calls: host or host:port. Without a port, NAPTR and SRV records are used. */
    termination_uri: string;
    transport?: SipTransport;
    /** Username for digest authentication, at most 255 characters. null: none. */
    username?: string | null;
    /** Password for digest authentication, at most 1,000 characters. Write-only: responses omit it. null: none. */
    password?: string | null;
    /** Source addresses of inbound calls from this trunk: IP addresses or CIDR ranges, at most 100. Ranges wider than /16 (IPv6: /32) must be private or allowed by the operator. Empty: any address; a trunk with a password and without registration must then authenticate (digest). If all trunks of the service list addresses, requests from other addresses get no response. */
    allowed_addresses?: string[];
    /** true: the service registers with the trunk (SIP REGISTER). Needs `username` and `password`. Default false. */
    register?: boolean;
    /** Codecs for calls on this trunk, in order of preference. Calls with other codecs only are refused (488). Empty: all codecs of the service, in its order. */
    codecs?: Codec[];
    srtp?: SrtpMode;
    /** true: also detect DTMF tones in the audio, for peers that send neither telephone events (RFC 4733) nor SIP INFO. Default false. */
    inband_dtmf?: boolean;
    /** Maximum number of simultaneous outbound calls. A call over the limit uses the next trunk by `priority`, or is refused (503). null: no limit. */
    max_concurrent_calls?: number | null;
    /** Maximum number of outbound calls started per second. A call over the limit uses the next trunk by `priority`, or is refused (503). null: no limit. */
    max_calls_per_second?: number | null;
    /** Rank as a fallback trunk, 0 to 1,000, the lowest first. Fallback trunks are tried if the trunk of the number fails before ringing (no connection, 408, 503) or is at its limits. null: no fallback, only calls from its own numbers. */
    priority?: number | null;
    /** Seconds between two SIP OPTIONS requests that check whether the trunk is reachable, 10 to 3,600. While it is not, calls try other trunks first. null: no checks. */
    options_interval?: number | null;
    /** Country of the trunk, ISO 3166-1 alpha-2 (`FR`). Numbers without `+` in SIP URIs are dialled as in this country. null: they are refused. */
    country?: Country | null;
    /** User part of From in outbound calls, as some carriers require; the calling number is then sent as P-Preferred-Identity. null: the calling number. */
    from_user?: string | null;
    /** Host of From in outbound calls. null: the address of the service. */
    from_domain?: string | null;
};
export type SipTrunkResponse = {
    /** Human-readable result. */
    message: string;
    data: SipTrunk;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type TrunkReachabilityInterval = {
    /** Begin of the half hour, ISO 8601. */
    start_time: Timestamp;
    /** OPTIONS requests that were answered or given up in it. */
    checks: number;
    /** How many of them got a response other than 408 and 503. */
    reachable: number;
    /** Mean time to a response, ms. null without a response. */
    round_trip_ms: number | null;
};
export type TrunkReachabilityHistory = {
    /** Identifier of the SIP trunk. */
    trunk_id: Id;
    /** Half hours with a check, oldest first, at most 48. */
    intervals: TrunkReachabilityInterval[];
};
export type TrunkReachabilityHistoryListResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: TrunkReachabilityHistory[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type UpdateSipTrunkRequest = {
    /** Display name, 1 to 100 characters. */
    name?: string;
    /** Destination of outbound calls: host or host:port. Without a port, NAPTR and SRV records are used. */
    termination_uri?: string;
    transport?: SipTransport;
    /** Username for digest authentication, at most 255 characters. null: none. */
    username?: string | null;
    /** Password for digest authentication, at most 1,000 characters. Write-only: responses omit it. null: none. */
    password?: string | null;
    /** Source addresses of inbound calls from this trunk: IP addresses or CIDR ranges, at most 100. Ranges wider than /16 (IPv6: /32) must be private or allowed by the operator. Empty: any address; a trunk with a password and without registration must then authenticate (digest). If all trunks of the service list addresses, requests from other addresses get no response. */
    allowed_addresses?: string[];
    /** true: the service registers with the trunk (SIP REGISTER). Needs `username` and `password`. Default false. */
    register?: boolean;
    /** Codecs for calls on this trunk, in order of preference. Calls with other codecs only are refused (488). Empty: all codecs of the service, in its order. */
    codecs?: Codec[];
    srtp?: SrtpMode;
    /** true: also detect DTMF tones in the audio, for peers that send neither telephone events (RFC 4733) nor SIP INFO. Default false. */
    inband_dtmf?: boolean;
    /** Maximum number of simultaneous outbound calls. A call over the limit uses the next trunk by `priority`, or is refused (503). null: no limit. */
    max_concurrent_calls?: number | null;
    /** Maximum number of outbound calls started per second. A call over the limit uses the next trunk by `priority`, or is refused (503). null: no limit. */
    max_calls_per_second?: number | null;
    /** Rank as a fallback trunk, 0 to 1,000, the lowest first. Fallback trunks are tried if the trunk of the number fails before ringing (no connection, 408, 503) or is at its limits. null: no fallback, only calls from its own numbers. */
    priority?: number | null;
    /** Seconds between two SIP OPTIONS requests that check whether the trunk is reachable, 10 to 3,600. While it is not, calls try other trunks first. null: no checks. */
    options_interval?: number | null;
    /** Country of the trunk, ISO 3166-1 alpha-2 (`FR`). Numbers without `+` in SIP URIs are dialled as in this country. null: they are refused. */
    country?: Country | null;
    /** User part of From in outbound calls, as some carriers require; the calling number is then sent as P-Preferred-Identity. null: the calling number. */
    from_user?: string | null;
    /** Host of From in outbound calls. null: the address of the service. */
    from_domain?: string | null;
    /** Read-only. Ignored in requests. */
    id?: unknown;
    /** Read-only. Ignored in requests. */
    reachability?: unknown;
    /** Read-only. Ignored in requests. */
    registration?: unknown;
    /** Read-only. Ignored in requests. */
    created_at?: unknown;
};
export type RefusedInvite = {
    /** Time, ISO 8601. */
    time: Timestamp;
    /** Why it was refused. `draining`: the service was shutting down. `overloaded`: the service had no capacity. `unavailable`: the service was starting or stopping, or had lost its SIP server; of a flood of such refusals some are not logged. `invalid_request`: the INVITE breaks a rule of SIP, or needs an extension or a body that the service does not support; of a flood of such refusals some are not logged. `inbound_limit`: the source, the trunk or the organization has as many inbound calls as it may have. `guess_limit`: organizations that list the source have had too many calls to wrong targets; such refusals are not logged. `unlisted_source`: no trunk of the organization accepts calls from this address. `wrong_credentials`: the caller proved no password of a trunk. `unknown_number`: the dialled number is not registered. `number_without_agent`: the dialled number has no agent and no redirect. `unknown_agent`: the agent of the dialled number was deleted. `lookup_refused`: the lookup webhook of the dialled number refused the call. `unknown_staged_call`: `X-Service-Call-Id` names no staged call. `staged_call_expired`: the INVITE came after the staging deadline. `staged_call_taken`: another INVITE claimed the staged call, or it had ended. `staged_call_not_ready`: the staged call was not ready in time. `staged_number_differs`: the INVITE dialled another number than the `to_number` of the staged call. `redirect_refused`: the destination of the redirect may not be called. `redirect_circle`: the redirect leads back to the dialled number. `unacceptable_offer`: the SDP offer could not be accepted. `internal_error`: the service failed. */
    cause: "draining" | "overloaded" | "unavailable" | "invalid_request" | "inbound_limit" | "guess_limit" | "unlisted_source" | "wrong_credentials" | "unknown_number" | "number_without_agent" | "unknown_agent" | "lookup_refused" | "unknown_staged_call" | "staged_call_expired" | "staged_call_taken" | "staged_call_not_ready" | "staged_number_differs" | "redirect_refused" | "redirect_circle" | "unacceptable_offer" | "internal_error";
    /** More about the cause. */
    detail: string | null;
    /** Status of the SIP response. */
    status: number;
    /** IP address of the sender. */
    source: string;
    /** User part of From. Phone numbers are masked: `+33•••••••89`. */
    from_number: string | null;
    /** Dialled user part of the Request-URI, masked alike. */
    to_number: string | null;
};
export type RefusedInviteListResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: RefusedInvite[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type DeliveryStatus = "pending" | "delivered" | "failed";
export type DeliveryAttempt = {
    /** Number of the attempt, from 1. */
    attempt: number;
    /** Time of the attempt, ISO 8601. */
    attempted_at: Timestamp;
    /** Time until the response or the failure, ms. */
    duration_ms: number;
    /** HTTP status of the response. null without a response. */
    http_status: number | null;
    /** First 2,000 characters of the response, or the cause of the failure. */
    outcome: string;
};
export type WebhookDelivery = {
    /** Identifier of the event. The header `webhook-id` of every attempt. */
    id: Id;
    /** Kind of event. */
    "type": WebhookEventType;
    /** Call of the event. */
    call_id: Id;
    /** Agent whose receiver gets the event. */
    agent_id: Id;
    /** Number of the event within the call, from 1. Types that the agent does not subscribe to count too. */
    sequence: number;
    /** pending: the next attempt is due at `next_attempt_at`. delivered: the receiver accepted the event. failed: all attempts failed. */
    status: DeliveryStatus;
    /** `webhook_url` when the event was stored. Each attempt uses the `webhook_url` that is set at that time. */
    url: string;
    /** Time of creation, ISO 8601. */
    created_at: Timestamp;
    /** Time of the next attempt, ISO 8601. null unless `status` is `pending`. */
    next_attempt_at: Timestamp | null;
    /** Body of the request. null after the content of the call was deleted. */
    body: JsonObject | null;
    /** Delivery attempts, oldest first. */
    attempts: DeliveryAttempt[];
};
export type WebhookDeliveryPageResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: WebhookDelivery[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
    /** Cursor of the next request, with `use_cursor=true` only. null: this is the last page. */
    next_cursor?: string | null;
    /** Number of this page, from 1, with `use_cursor=false` only. */
    current_page?: number;
    /** Number of pages, with `use_cursor=false` only. */
    total_pages?: number;
    /** Number of items in all pages, with `use_cursor=false` only. */
    total_items?: number;
};
export type WebhookDeliveryResponse = {
    /** Human-readable result. */
    message: string;
    data: WebhookDelivery;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type Scope = "read" | "write" | "admin";
export type ApiKey = {
    /** Identifier of the key. */
    id: Id;
    /** Name of the key, for people. */
    name: string;
    /** Organization that the key belongs to. */
    organization_id: Id;
    /** What the key may do. */
    scopes: Scope[];
};
export type ApiKeyResponse = {
    /** Human-readable result. */
    message: string;
    data: ApiKey;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type ApiKeyListing = {
    /** Identifier of the key. */
    id: Id;
    /** Name of the key, for people. */
    name: string;
    /** Organization that the key belongs to. */
    organization_id: Id;
    /** What the key may do. */
    scopes: Scope[];
    /** First characters of the key. Empty for a key that the service did not make. */
    prefix: string;
    /** Time of creation, ISO 8601. */
    created_at: Timestamp;
    /** Time of the revocation, ISO 8601. null: the key is valid. */
    revoked_at: Timestamp | null;
};
export type ApiKeyListingListResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: ApiKeyListing[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type CreateApiKeyRequest = {
    /** Name of the key, for people, 1 to 100 characters. */
    name: string;
    /** What the key may do. Default `read` and `write`. */
    scopes?: Scope[];
};
export type CreatedApiKey = {
    /** Identifier of the key. */
    id: Id;
    /** Name of the key, for people. */
    name: string;
    /** Organization that the key belongs to. */
    organization_id: Id;
    /** What the key may do. */
    scopes: Scope[];
    /** The key itself. Shown only here: it is stored as a hash. */
    key: string;
};
export type CreatedApiKeyResponse = {
    /** Human-readable result. */
    message: string;
    data: CreatedApiKey;
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type AuditRecord = {
    /** Identifier of the record. */
    id: Id;
    /** Time of the response, ISO 8601. */
    at: Timestamp;
    /** API key of the request. null: a recording was opened by its `recording_url`. */
    key_id: Id | null;
    /** Operation of the API, by its `operationId` in the OpenAPI document. */
    action: string;
    /** The resource of the request, or the one that it created. null for a list, unless it is one call’s. */
    target_id: Id | null;
    /** IP address of the client, or of the proxy in front of the service. */
    address: string;
    /** HTTP status of the response. */
    status: number;
};
export type AuditRecordPageResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: AuditRecord[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
    /** Cursor of the next request, with `use_cursor=true` only. null: this is the last page. */
    next_cursor?: string | null;
    /** Number of this page, from 1, with `use_cursor=false` only. */
    current_page?: number;
    /** Number of pages, with `use_cursor=false` only. */
    total_pages?: number;
    /** Number of items in all pages, with `use_cursor=false` only. */
    total_items?: number;
};
export type Provider = {
    /** Its name in an agent. */
    provider: string;
    /** The part of an agent that it serves. */
    kind: "transcriber" | "llm" | "voice";
    /** true: it failed several times in a row and is not asked for some seconds, by one process of one node at least. */
    circuit_open: boolean;
    /** `unlisted`: the provider cannot name its models and voices. `failed`: it did not answer; it is asked again after 30 s. */
    status: "listed" | "unlisted" | "failed";
    /** Models of this kind, at most 1,000, by their names in an agent. */
    models: string[];
    /** Voices, at most 1,000. Empty for other kinds. */
    voices: {
        /** The voice's `name` in an agent. */
        name: string;
        /** Name for people. null: none beside `name`. */
        label: string | null;
        /** Language as the provider writes it. null: several, or unknown. */
        language: string | null;
    }[];
};
export type ProviderListResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: Provider[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type Setting = {
    /** Environment variable that sets it. */
    variable: string;
    /** Part of the service that it belongs to. */
    group: "keys" | "service" | "http" | "sip" | "calls" | "rtp" | "providers" | "agents";
    /** What it does. */
    description: string;
    /** The values that it takes. */
    expected: string;
    /** Value while it is not set. null: none. */
    default_value: string | null;
    /** true: its value is not shown. */
    secret: boolean;
    /** true: the environment or the `.env` file sets it. */
    "set": boolean;
    /** Value that is set. null: not set, or a secret. */
    value: string | null;
};
export type SettingListResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: Setting[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type Finding = {
    /** `warning`: the service runs, but a feature does not work. `fault`: a start or calls fail. */
    verdict: "ok" | "warning" | "fault";
    /** What was checked. */
    subject: string;
    /** What was found. Names and messages of peers are as they came. */
    text: string;
    /** Suggested action. null: none is needed. */
    remedy: string | null;
};
export type FindingListResponse = {
    /** Human-readable result. */
    message: string;
    /** The found or created items. */
    data: Finding[];
    /** Always null on success. */
    error: null;
    /** HTTP status code. */
    status: number;
};
export type AddSourcesRequest = {
    /** PDF files: at most 20, each at most 20 MiB. */
    file_sources?: Blob[];
    /** JSON array of at most 200 objects with `title` (1 to 255 characters) and `content` (at most 1 MiB), at most 4 MiB in total. */
    text_sources?: string;
};
export type RemoveSourcesRequest = {
    /** Identifiers of the sources to remove, 1 to 200. */
    source_ids: Id[];
};
/**
 * Check liveness
 */
export function getHealth(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    }>("/healthz", {
        ...opts
    });
}
/**
 * Check readiness
 */
export function getReadiness(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 503;
        data: Failure;
    }>("/readyz", {
        ...opts
    });
}
/**
 * Count calls
 */
export function getCallAnalytics({ $from, to, interval, groupBy, agentId, direction, endReason, answerType }: {
    $from?: string;
    to?: string;
    interval?: "hour" | "day" | "total";
    groupBy?: "agent_id" | "direction" | "end_reason" | "answer_type";
    agentId?: Id;
    direction?: "inbound" | "outbound";
    endReason?: "caller_hangup" | "agent_hangup" | "terminated" | "transferred" | "voicemail_left" | "max_duration" | "silence" | "staging_timeout" | "busy" | "no_answer" | "rejected" | "redirected" | "canceled" | "no_media" | "sip_error" | "transcriber_error" | "llm_error" | "voice_error" | "media_error" | "internal_error" | "node_lost" | "shutdown";
    answerType?: "human" | "voicemail" | "ivr" | "call_screening" | "unknown";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CallAnalyticsResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/analytics/calls${QS.query(QS.explode({
        "from": $from,
        to,
        interval,
        group_by: groupBy,
        agent_id: agentId,
        direction,
        end_reason: endReason,
        answer_type: answerType
    }))}`, {
        ...opts
    });
}
/**
 * Get response times
 */
export function getResponseTimes({ $from, to, interval, groupBy, agentId }: {
    $from?: string;
    to?: string;
    interval?: "day" | "total";
    groupBy?: "agent_id" | "transcriber" | "llm" | "voice";
    agentId?: Id;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ResponseTimesResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/analytics/response-times${QS.query(QS.explode({
        "from": $from,
        to,
        interval,
        group_by: groupBy,
        agent_id: agentId
    }))}`, {
        ...opts
    });
}
/**
 * Get the usage of providers
 */
export function getUsage({ $from, to, interval, agentId }: {
    $from?: string;
    to?: string;
    interval?: "day" | "total";
    agentId?: Id;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: UsageResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/usage${QS.query(QS.explode({
        "from": $from,
        to,
        interval,
        agent_id: agentId
    }))}`, {
        ...opts
    });
}
/**
 * Get the cost of providers
 */
export function getCosts({ $from, to, interval, groupBy, agentId }: {
    $from?: string;
    to?: string;
    interval?: "day" | "total";
    groupBy?: "provider" | "model";
    agentId?: Id;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CostsResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/analytics/costs${QS.query(QS.explode({
        "from": $from,
        to,
        interval,
        group_by: groupBy,
        agent_id: agentId
    }))}`, {
        ...opts
    });
}
/**
 * Create an agent
 */
export function createAgent(createAgentRequest: CreateAgentRequest, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: CreatedAgentResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/agents", oazapfts.json({
        ...opts,
        method: "POST",
        body: createAgentRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List agents
 */
export function listAgents({ page, limit, useCursor, cursor }: {
    page?: number;
    limit?: number;
    useCursor?: boolean;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentPageResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents${QS.query(QS.explode({
        page,
        limit,
        use_cursor: useCursor,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Get an agent
 */
export function getAgent(id: Id, { version }: {
    version?: number;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/${encodeURIComponent(id)}${QS.query(QS.explode({
        version
    }))}`, {
        ...opts
    });
}
/**
 * Delete an agent
 */
export function deleteAgent(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Update an agent
 */
export function updateAgent(id: Id, updateAgentRequest: UpdateAgentRequest, { publish, baseVersion }: {
    publish?: boolean;
    baseVersion?: number;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/${encodeURIComponent(id)}${QS.query(QS.explode({
        publish,
        base_version: baseVersion
    }))}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateAgentRequest
    }));
}
/**
 * List the names of agents
 */
export function listAgentNames({ page, limit, useCursor, cursor }: {
    page?: number;
    limit?: number;
    useCursor?: boolean;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NamedAgentPageResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/names${QS.query(QS.explode({
        page,
        limit,
        use_cursor: useCursor,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Create a webhook secret
 */
export function renewWebhookSecret(id: Id, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: WebhookSecretResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/${encodeURIComponent(id)}/webhook-secret`, {
        ...opts,
        method: "POST",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    });
}
/**
 * List the versions of an agent
 */
export function listVersions(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentVersionListResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/${encodeURIComponent(id)}/versions`, {
        ...opts
    });
}
/**
 * Deploy a version of an agent
 */
export function deployVersion(version: number, id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/${encodeURIComponent(id)}/deploy${QS.query(QS.explode({
        version
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Run a test file
 */
export function runTests(id: Id, runTestsRequest: RunTestsRequest, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentTestRunResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/${encodeURIComponent(id)}/tests`, oazapfts.json({
        ...opts,
        method: "POST",
        body: runTestsRequest
    }));
}
/**
 * Stage an inbound SIP call
 */
export function stageCall(stageCallRequest: StageCallRequest, { sync, idempotencyKey }: {
    sync?: boolean;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: CreatedCallResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 408;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 502;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/stage${QS.query(QS.explode({
        sync
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: stageCallRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Start an outbound phone call
 */
export function startPhoneCall(startPhoneCallRequest: StartPhoneCallRequest, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: CreatedCallResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/calls/phone", oazapfts.json({
        ...opts,
        method: "POST",
        body: startPhoneCallRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Terminate a phone call
 */
export function terminateCall(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/terminate`, {
        ...opts,
        method: "POST"
    });
}
/**
 * List calls
 */
export function listCalls({ page, limit, useCursor, cursor, agentId, $type, fromNumber, toNumber, startTimeGt, startTimeLt, createdAtGt, createdAtLt, status, direction, endReason, answerType, costGt, costLt, responseMsGt, responseMsLt, slowestResponseMsGt, slowestResponseMsLt, metadata, transcript, running, includeTranscript, includeVariableValues }: {
    page?: number;
    limit?: number;
    useCursor?: boolean;
    cursor?: string;
    agentId?: Id;
    $type?: "phone_call" | "web_call";
    fromNumber?: string;
    toNumber?: string;
    startTimeGt?: string;
    startTimeLt?: string;
    createdAtGt?: string;
    createdAtLt?: string;
    status?: "created" | "initiated" | "staged" | "ringing" | "in_progress" | "completed" | "no_answer" | "busy" | "canceled" | "failed";
    direction?: "inbound" | "outbound";
    endReason?: "caller_hangup" | "agent_hangup" | "terminated" | "transferred" | "voicemail_left" | "max_duration" | "silence" | "staging_timeout" | "busy" | "no_answer" | "rejected" | "redirected" | "canceled" | "no_media" | "sip_error" | "transcriber_error" | "llm_error" | "voice_error" | "media_error" | "internal_error" | "node_lost" | "shutdown";
    answerType?: "human" | "voicemail" | "ivr" | "call_screening" | "unknown";
    costGt?: number;
    costLt?: number;
    responseMsGt?: number;
    responseMsLt?: number;
    slowestResponseMsGt?: number;
    slowestResponseMsLt?: number;
    metadata?: string;
    transcript?: string;
    running?: boolean;
    includeTranscript?: boolean;
    includeVariableValues?: boolean;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CallPageResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls${QS.query(QS.explode({
        page,
        limit,
        use_cursor: useCursor,
        cursor,
        agent_id: agentId,
        "type": $type,
        from_number: fromNumber,
        to_number: toNumber,
        start_time_gt: startTimeGt,
        start_time_lt: startTimeLt,
        created_at_gt: createdAtGt,
        created_at_lt: createdAtLt,
        status,
        direction,
        end_reason: endReason,
        answer_type: answerType,
        cost_gt: costGt,
        cost_lt: costLt,
        response_ms_gt: responseMsGt,
        response_ms_lt: responseMsLt,
        slowest_response_ms_gt: slowestResponseMsGt,
        slowest_response_ms_lt: slowestResponseMsLt,
        metadata,
        transcript,
        running,
        include_transcript: includeTranscript,
        include_variable_values: includeVariableValues
    }))}`, {
        ...opts
    });
}
/**
 * Get a call
 */
export function getCall(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CallResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Update the metadata of a call
 */
export function updateMetadata(id: Id, updateMetadataRequest: UpdateMetadataRequest, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CallResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateMetadataRequest
    }));
}
/**
 * Delete the content of a call
 */
export function deleteCall(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Make the agent say a text
 */
export function sayOnCall(id: Id, sayOnCallRequest: SayOnCallRequest, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/say`, oazapfts.json({
        ...opts,
        method: "POST",
        body: sayOnCallRequest
    }));
}
/**
 * Transfer a call
 */
export function transferCall(id: Id, transferCallRequest: TransferCallRequest, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/transfer`, oazapfts.json({
        ...opts,
        method: "POST",
        body: transferCallRequest
    }));
}
/**
 * Give the agent information
 */
export function addContext(id: Id, addContextRequest: AddContextRequest, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/context`, oazapfts.json({
        ...opts,
        method: "POST",
        body: addContextRequest
    }));
}
/**
 * Pause the recording of a call
 */
export function pauseRecording(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/recording/pause`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Resume the recording of a call
 */
export function resumeRecording(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/recording/resume`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Watch the events of a call
 */
export function watchCall(id: Id, { lastEventId }: {
    lastEventId?: number;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 204;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/events`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "last-event-id": lastEventId
        })
    });
}
/**
 * List running calls
 */
export function listRunningCalls({ agentId, $type }: {
    agentId?: Id;
    $type?: "phone_call" | "web_call";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RunningCallListResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/running${QS.query(QS.explode({
        agent_id: agentId,
        "type": $type
    }))}`, {
        ...opts
    });
}
/**
 * Watch the running calls
 */
export function watchRunningCalls({ agentId, $type }: {
    agentId?: Id;
    $type?: "phone_call" | "web_call";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/running/events${QS.query(QS.explode({
        agent_id: agentId,
        "type": $type
    }))}`, {
        ...opts
    });
}
/**
 * Get the tape of a call
 */
export function getTape(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/tape`, {
        ...opts
    });
}
/**
 * Get the timeline of a call
 */
export function getTimeline(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CallTimelineResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/timeline`, {
        ...opts
    });
}
/**
 * Get the SIP messages of a call
 */
export function getSipLadder(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/sip-ladder`, {
        ...opts
    });
}
/**
 * Capture the packets of a call
 */
export function captureCall(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/capture`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Get the captured packets of a call
 */
export function getPcap(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/pcap`, {
        ...opts
    });
}
/**
 * Start a web call
 */
export function startWebCall(startWebCallRequest: StartWebCallRequest, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: CreatedWebCallResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 502;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/calls/web", oazapfts.json({
        ...opts,
        method: "POST",
        body: startWebCallRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Get the recording of a call
 */
export function getRecording(id: Id, { token, expires, signature }: {
    token?: string;
    expires?: number;
    signature?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 206;
        data: Blob;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/calls/${encodeURIComponent(id)}/recording${QS.query(QS.explode({
        token,
        expires,
        signature
    }))}`, {
        ...opts
    });
}
/**
 * List phone numbers
 */
export function listPhoneNumbers({ page, limit, useCursor, cursor }: {
    page?: number;
    limit?: number;
    useCursor?: boolean;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PhoneNumberPageResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/phone-numbers${QS.query(QS.explode({
        page,
        limit,
        use_cursor: useCursor,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Add a phone number
 */
export function createPhoneNumber(createPhoneNumberRequest: CreatePhoneNumberRequest, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: PhoneNumberResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/phone-numbers", oazapfts.json({
        ...opts,
        method: "POST",
        body: createPhoneNumberRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Get a phone number
 */
export function getPhoneNumber(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PhoneNumberResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/phone-numbers/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Update a phone number
 */
export function updatePhoneNumber(id: Id, updatePhoneNumberRequest: UpdatePhoneNumberRequest, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PhoneNumberResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/phone-numbers/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updatePhoneNumberRequest
    }));
}
/**
 * Remove a phone number
 */
export function deletePhoneNumber(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/phone-numbers/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Add post-call questions
 */
export function createQuestions(id: Id, createQuestionsRequest: CreateQuestionsRequest, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PostCallQuestionListResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/${encodeURIComponent(id)}/post-call-questions`, oazapfts.json({
        ...opts,
        method: "POST",
        body: createQuestionsRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List post-call questions
 */
export function listQuestions(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PostCallQuestionListResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/${encodeURIComponent(id)}/post-call-questions`, {
        ...opts
    });
}
/**
 * Get a post-call question
 */
export function getQuestion(id: Id, questionId: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PostCallQuestionResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/${encodeURIComponent(id)}/post-call-questions/${encodeURIComponent(questionId)}`, {
        ...opts
    });
}
/**
 * Update a post-call question
 */
export function updateQuestion(id: Id, questionId: Id, updateQuestionRequest: UpdateQuestionRequest, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PostCallQuestionResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/${encodeURIComponent(id)}/post-call-questions/${encodeURIComponent(questionId)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateQuestionRequest
    }));
}
/**
 * Delete a post-call question
 */
export function deleteQuestion(id: Id, questionId: Id, { softDelete }: {
    softDelete?: boolean;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/agents/${encodeURIComponent(id)}/post-call-questions/${encodeURIComponent(questionId)}${QS.query(QS.explode({
        soft_delete: softDelete
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Create a knowledge base
 */
export function createKnowledgeBase(createKnowledgeBaseRequest: CreateKnowledgeBaseRequest, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: KnowledgeBaseResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/knowledge-bases", oazapfts.json({
        ...opts,
        method: "POST",
        body: createKnowledgeBaseRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List knowledge bases
 */
export function listKnowledgeBases({ page, limit, useCursor, cursor }: {
    page?: number;
    limit?: number;
    useCursor?: boolean;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: KnowledgeBasePageResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/knowledge-bases${QS.query(QS.explode({
        page,
        limit,
        use_cursor: useCursor,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Get a knowledge base
 */
export function getKnowledgeBase(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: KnowledgeBaseResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/knowledge-bases/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Delete a knowledge base
 */
export function deleteKnowledgeBase(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/knowledge-bases/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Search a knowledge base
 */
export function searchKnowledgeBase(query: string, id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: KnowledgePassageListResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/knowledge-bases/${encodeURIComponent(id)}/search${QS.query(QS.explode({
        query
    }))}`, {
        ...opts
    });
}
/**
 * Get the text that was read from a source
 */
export function getSourceText(id: Id, sourceId: Id, { limit, cursor }: {
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: KnowledgeSourceTextPageResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/knowledge-bases/${encodeURIComponent(id)}/sources/${encodeURIComponent(sourceId)}/text${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * List SIP trunks
 */
export function listSipTrunks({ page, limit, useCursor, cursor }: {
    page?: number;
    limit?: number;
    useCursor?: boolean;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SipTrunkPageResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/sip-trunks${QS.query(QS.explode({
        page,
        limit,
        use_cursor: useCursor,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Add a SIP trunk
 */
export function createSipTrunk(createSipTrunkRequest: CreateSipTrunkRequest, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: SipTrunkResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/sip-trunks", oazapfts.json({
        ...opts,
        method: "POST",
        body: createSipTrunkRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List the reachability of SIP trunks over the last day
 */
export function listTrunkReachability(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TrunkReachabilityHistoryListResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/sip-trunks/reachability", {
        ...opts
    });
}
/**
 * Get a SIP trunk
 */
export function getSipTrunk(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SipTrunkResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/sip-trunks/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Update a SIP trunk
 */
export function updateSipTrunk(id: Id, updateSipTrunkRequest: UpdateSipTrunkRequest, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SipTrunkResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/sip-trunks/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: updateSipTrunkRequest
    }));
}
/**
 * Remove a SIP trunk
 */
export function deleteSipTrunk(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/sip-trunks/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List refused INVITEs
 */
export function listSipRefusals(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RefusedInviteListResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/sip/refusals", {
        ...opts
    });
}
/**
 * List webhook deliveries
 */
export function listDeliveries({ page, limit, useCursor, cursor, callId, agentId, status }: {
    page?: number;
    limit?: number;
    useCursor?: boolean;
    cursor?: string;
    callId?: Id;
    agentId?: Id;
    status?: "pending" | "delivered" | "failed";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookDeliveryPageResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/webhook-deliveries${QS.query(QS.explode({
        page,
        limit,
        use_cursor: useCursor,
        cursor,
        call_id: callId,
        agent_id: agentId,
        status
    }))}`, {
        ...opts
    });
}
/**
 * Get a webhook delivery
 */
export function getDelivery(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookDeliveryResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/webhook-deliveries/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Redeliver a webhook event
 */
export function redeliver(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookDeliveryResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/webhook-deliveries/${encodeURIComponent(id)}/redeliver`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Get the API key of the request
 */
export function getCurrentApiKey(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ApiKeyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/api-keys/current", {
        ...opts
    });
}
/**
 * List API keys
 */
export function listApiKeys(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ApiKeyListingListResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/api-keys", {
        ...opts
    });
}
/**
 * Create an API key
 */
export function createApiKey(createApiKeyRequest: CreateApiKeyRequest, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: CreatedApiKeyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/api-keys", oazapfts.json({
        ...opts,
        method: "POST",
        body: createApiKeyRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Revoke an API key
 */
export function revokeApiKey(id: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EmptyResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/api-keys/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List the audit log
 */
export function listAuditLog({ limit, cursor, action, keyId, targetId, $from, to }: {
    limit?: number;
    cursor?: string;
    action?: "createAgent" | "updateAgent" | "deployVersion" | "deleteAgent" | "renewWebhookSecret" | "createPhoneNumber" | "updatePhoneNumber" | "deletePhoneNumber" | "createSipTrunk" | "updateSipTrunk" | "deleteSipTrunk" | "createApiKey" | "revokeApiKey" | "createKnowledgeBase" | "deleteKnowledgeBase" | "addSources" | "removeSources" | "createQuestions" | "updateQuestion" | "deleteQuestion" | "redeliver" | "pauseRecording" | "resumeRecording" | "transferCall" | "terminateCall" | "captureCall" | "deleteCall" | "getRecording" | "getCall" | "listCalls" | "updateMetadata" | "watchCall" | "getTimeline" | "getTape" | "getSipLadder" | "getPcap" | "listDeliveries" | "getDelivery" | "listAuditLog";
    keyId?: Id;
    targetId?: Id;
    $from?: string;
    to?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AuditRecordPageResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/audit-log${QS.query(QS.explode({
        limit,
        cursor,
        action,
        key_id: keyId,
        target_id: targetId,
        "from": $from,
        to
    }))}`, {
        ...opts
    });
}
/**
 * List the providers
 */
export function listProviders(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ProviderListResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/providers", {
        ...opts
    });
}
/**
 * List the settings
 */
export function listSettings(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SettingListResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/settings", {
        ...opts
    });
}
/**
 * Check the service
 */
export function runDoctor(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: FindingListResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>("/v1/doctor", {
        ...opts,
        method: "POST"
    });
}
/**
 * Add sources to a knowledge base
 */
export function addSources(id: Id, addSourcesRequest: AddSourcesRequest, { idempotencyKey }: {
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: KnowledgeBaseResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 409;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/knowledge-bases/${encodeURIComponent(id)}/sources`, oazapfts.multipart({
        ...opts,
        method: "POST",
        body: addSourcesRequest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Remove sources from a knowledge base
 */
export function removeSources(id: Id, removeSourcesRequest: RemoveSourcesRequest, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: KnowledgeBaseResponse;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 413;
        data: Failure;
    } | {
        status: 415;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/knowledge-bases/${encodeURIComponent(id)}/sources`, oazapfts.json({
        ...opts,
        method: "DELETE",
        body: removeSourcesRequest
    }));
}
/**
 * Get the content of a source
 */
export function getSourceFile(id: Id, sourceId: Id, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 400;
        data: Failure;
    } | {
        status: 401;
        data: Failure;
    } | {
        status: 403;
        data: Failure;
    } | {
        status: 404;
        data: Failure;
    } | {
        status: 422;
        data: Failure;
    } | {
        status: 429;
        data: Failure;
    } | {
        status: 500;
        data: Failure;
    } | {
        status: 503;
        data: Failure;
    }>(`/v1/knowledge-bases/${encodeURIComponent(id)}/sources/${encodeURIComponent(sourceId)}/file`, {
        ...opts
    });
}
