import { setTimeout as after } from 'node:timers/promises';
import { Client, type Dispatcher } from 'undici';
import WebSocket from 'ws';
import { FRAME_BYTES, SILENCE, writeMarker } from '../rig/audio-marker.ts';
import { onParentCommand, requiredVariable } from '../rig/parent-channel.ts';
import { type Phrase, scriptOf, textOf } from '../rig/script.ts';

/**
 * The lower bound of a turn: a process with three open connections to the same providers, in the same run. It sends speech,
 * requests a response when the final comes, and requests the first sentence from the voice when it is complete. It has no
 * rules, no journal and no media. Each round counts as a call, numbered from `BENCH_FIRST_CALL`.
 */
/** Between two rounds, so that a response ends before the next round. */
const PAUSE_MS = 300;
/** About the length of the service's prompt. */
const PROMPT = 'You answer the phone. '.repeat(40);

/** Reads the response, and requests the first sentence from the voice once the white space after it has come. */
class ResponseReader implements Dispatcher.DispatchHandler {
  #text = '';
  #isRequested = false;

  onRequestStart(): void {}

  onResponseStart(): void {}

  onResponseData(_controller: unknown, chunk: Buffer): void {
    for (const [, data = ''] of chunk.toString('utf8').matchAll(/^data: (\{.*)$/gm)) {
      const { choices }: { choices: { delta?: { content?: string | null } }[] } = JSON.parse(data);
      this.#text += choices[0]?.delta?.content ?? '';
    }
    const end = this.#text.indexOf('. ');
    if (this.#isRequested || end < 0) return;
    this.#isRequested = true;
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
  model.dispatch({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body }, new ResponseReader());
}
