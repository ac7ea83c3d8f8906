/** What an emulator of a streaming API can be told to answer, and everything that can go wrong with it. */
export interface StreamAnswer {
  /** 200 where absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Before the status line. */
  readonly delayMs?: number;
  readonly steps: readonly StreamStep[];
}

export type StreamStep =
  /** One server-sent event with this JSON, named where the protocol names its events. */
  | { readonly type: 'chunk'; readonly json: unknown; readonly event?: string; readonly delayMs?: number }
  /** These very bytes. */
  | { readonly type: 'raw'; readonly text: string; readonly delayMs?: number }
  /** Nothing more comes, and the connection stays. */
  | { readonly type: 'stall' }
  /** The connection is cut where it stands. */
  | { readonly type: 'reset'; readonly delayMs?: number };

export interface ScriptedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Pieces of a tool call's arguments on the wire; small, so that merging is put to the test. */
const ARGUMENT_FRAGMENT_LENGTH = 7;

/** A sentence in tokens of one word each, as models send it. */
export function tokensOf(text: string): readonly string[] {
  return text.match(/\s*\S+/g) ?? [];
}

export function fragmentsOf(text: string): readonly string[] {
  return text.match(new RegExp(`[^]{1,${ARGUMENT_FRAGMENT_LENGTH}}`, 'g')) ?? [];
}

/** A refusal: a status with a JSON body. */
export function refusalAnswer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): StreamAnswer {
  const text = JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/json', ...headers }, steps: [{ type: 'raw', text }] };
}
