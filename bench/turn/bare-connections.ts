import { setTimeout as after } from 'node:timers/promises';
import { Client, type Dispatcher } from 'undici';
import WebSocket from 'ws';
import { FRAME_BYTES, SILENCE, writeMarker } from '../rig/audio-marker.ts';
import { onParentCommand, requiredVariable } from '../rig/parent-channel.ts';
import { type Phrase, scriptOf, textOf } from '../rig/script.ts';

/**
 * The least that a turn can take here: a process that is nothing but three warm connections to the same providers, in the
 * same run. It says a line, asks the model as soon as the final comes and orders the first sentence as soon as it is
 * certain; no rules, no journal, no media. Each round counts as a call of its own, numbered from `BENCH_FIRST_CALL`.
 */
/** Between two rounds, so that one's answer is over before the next one's begins. */
const PAUSE_MS = 300;
/** About what the service sends. */
const PROMPT = 'You answer the phone. '.repeat(40);

/** Gathers the answer's words; the first sentence is certain with the white space behind it. */
class Answer implements Dispatcher.DispatchHandler {
  #text = '';
  #ordered = false;

  onRequestStart(): void {}

  onResponseStart(): void {}

  onResponseData(_controller: unknown, chunk: Buffer): void {
    for (const [, data = ''] of chunk.toString('utf8').matchAll(/^data: (\{.*)$/gm)) {
      const { choices }: { choices: { delta?: { content?: string | null } }[] } = JSON.parse(data);
      this.#text += choices[0]?.delta?.content ?? '';
    }
    const end = this.#text.indexOf('. ');
    if (this.#ordered || end < 0) return;
    this.#ordered = true;
    speak.send(JSON.stringify({ type: 'Speak', text: this.#text.slice(0, end + 1) }));
    speak.send(JSON.stringify({ type: 'Flush' }));
  }

  onResponseEnd(): void {
    roundDone();
  }

  onResponseError(_controller: unknown, error: Error): void {
    throw error;
  }
}

const origin = requiredVariable('BENCH_PROVIDERS');
const [turn] = scriptOf('turn', 1).turns;
if (turn === undefined) throw new Error('the script has no turn');
const listen = await connect('/v1/listen');
const speak = await connect('/v1/speak');
const model = new Client(origin);
let call = Number(requiredVariable('BENCH_FIRST_CALL'));
let roundDone = (): void => undefined;

onParentCommand(() => undefined);
listen.on('message', (data) => {
  const message: { is_final?: boolean } = JSON.parse(String(data));
  if (message.is_final === true) ask(turn.userText);
});
for (;;) {
  const { promise, resolve } = Promise.withResolvers<void>();
  roundDone = resolve;
  for (const kind of ['line_begins', 'line_ends'] as const) {
    const frame = Buffer.alloc(FRAME_BYTES, SILENCE);
    writeMarker(frame, 0, { kind, turn: 1, call });
    listen.send(frame);
  }
  await promise;
  await after(PAUSE_MS);
  call++;
}

async function connect(path: string): Promise<WebSocket> {
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}${path}`, { perMessageDeflate: false });
  await new Promise((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
  });
  return socket;
}

function ask(says: Phrase): void {
  const messages = [
    { role: 'system', content: PROMPT },
    { role: 'user', content: textOf(says, call) },
  ];
  const body = JSON.stringify({ model: 'bench', stream: true, messages });
  const path = '/v1/chat/completions';
  model.dispatch({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body }, new Answer());
}
