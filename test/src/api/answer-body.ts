/** The envelope of every response, and the fields of resources that tests read by name. */
export interface AnswerBody {
  readonly data: AnswerData;
  readonly error: AnswerError;
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly next_cursor: string | null;
  readonly total_items: number;
}

/** One resource or a list of resources, depending on the route. */
export interface AnswerData extends List<Resource>, Resource {}

/** A list whose first elements tests read without a check. The test fails if an element is missing. */
interface List<Item> extends ReadonlyArray<Item> {
  readonly 0: Item;
  readonly 1: Item;
}

interface AnswerError {
  readonly type: string;
  readonly message: string;
  readonly details: List<{ readonly field: string; readonly message: string }>;
}

/** The fields of all resources. */
interface Resource {
  readonly id: string;
  readonly key: string;
  readonly score: number;
  readonly organization_id: string;
  readonly name: string;
  readonly number: string;
  readonly type: string;
  readonly status: string;
  readonly version: number;
  readonly active: boolean;
  readonly published: boolean;
  readonly created_at: string;
  readonly call_id: string;
  readonly agent_version: number | null;
  readonly agent_id: string;
  readonly trunk_id: string | null;
  readonly inbound_agent_id: string | null;
  readonly lookup_webhook_url: string | null;
  readonly llm: object;
  readonly voice: object;
  readonly model: string;
  readonly transcriber: object;
  readonly warnings: readonly object[];
  readonly variables: readonly { readonly name: string }[];
  readonly initial_state_name: string;
  readonly states: List<AgentState>;
  readonly secret: string;
  readonly agent_overrides: object | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly media_url: string;
  readonly recording_url: string;
  readonly recording_unavailable_reason: string | null;
  readonly secure_recording_url: boolean;
  readonly sources: List<{ readonly id: string; readonly type: string }>;
  readonly options: List<{ readonly id: string }>;
  readonly attempts: readonly { readonly attempt: number }[];
}

interface AgentState {
  readonly name: string;
  readonly prompt: string;
  readonly tools: List<{ readonly headers: readonly object[] }>;
}
