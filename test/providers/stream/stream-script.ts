/** The scripted response of a streaming API, including its failures. */
export interface StreamAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Delay before the status line. */
  readonly delayMs?: number;
  readonly steps: readonly StreamStep[];
}

export type StreamStep =
  /** One server-sent event with this JSON. It has a name if the protocol names its events. */
  | { readonly type: 'chunk'; readonly json: unknown; readonly event?: string; readonly delayMs?: number }
  /** Exactly these characters. */
  | { readonly type: 'raw'; readonly text: string; readonly delayMs?: number }
  /** The server sends nothing more, and the connection stays open. */
  | { readonly type: 'stall' }
  /** The server resets the connection. */
  | { readonly type: 'reset'; readonly delayMs?: number };

export interface ScriptedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Length of the fragments of a tool call's arguments. Short, so that a call has several fragments to merge. */
const ARGUMENT_FRAGMENT_LENGTH = 7;

/** A text in tokens of one word. */
export function tokensOf(text: string): readonly string[] {
  return text.match(/\s*\S+/g) ?? [];
}

export function fragmentsOf(text: string): readonly string[] {
  return text.match(new RegExp(`[^]{1,${ARGUMENT_FRAGMENT_LENGTH}}`, 'g')) ?? [];
}

/** An error status with a JSON body. */
export function refusalAnswer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): StreamAnswer {
  const text = JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/json', ...headers }, steps: [{ type: 'raw', text }] };
}
