import { WebSocketServer } from 'ws';
import { LoopbackServer } from '../../test/providers/loopback-server.ts';
import { ListenLine } from './listen-line.ts';
import { LoadMeter } from './load.ts';
import { ModelServer } from './model-server.ts';
import { hearParent, notifyParent, setting } from './parent.ts';
import type { ProvidersCommand, ProvidersNotice } from './protocol.ts';
import { scriptOf } from './script.ts';
import { SpeakLine } from './speak-line.ts';
import { TurnBook } from './turn-book.ts';

/**
 * All providers of a bench in one process, over real sockets: transcriber, model, voice, and the server of the agent's
 * function. Their delays are fixed, and they note when what came and left.
 */
const FAULTS_MAX = 20;

const script = scriptOf(setting('BENCH_SCRIPT'), Number(setting('BENCH_TURNS')));
const book = new TurnBook();
const load = new LoadMeter();
const faults: string[] = [];
const onFault = (fault: string) => {
  if (faults.length < FAULTS_MAX) faults.push(fault);
};
const model = new ModelServer(script, book, onFault);
const server = await LoopbackServer.listen();
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });

server.http.on('request', (request, response) => {
  if (request.method === 'POST') model.take(request, response);
  else response.setHeader('content-type', 'application/json').end('{"hours":"nine to five"}');
});
server.http.on('upgrade', (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, (line) => {
    line.on('error', () => undefined);
    if (request.url?.startsWith('/v1/listen')) new ListenLine(line, script, book);
    else new SpeakLine(line, script, book, onFault);
  });
});

hearParent(({ type }: ProvidersCommand) => {
  if (type === 'open') load.open();
  addResult(type === 'open' ? { type: 'opened' } : { type: 'closed', load: load.close(), turns: book.all(), faults });
});
addResult({
  type: 'started',
  functionUrl: `${server.origin}/hours`,
  environment: {
    OPENAI_API_KEY: 'bench',
    OPENAI_BASE_URL: `${server.origin}/v1`,
    // The voice is what is measured, not what a call before has left spoken.
    PHRASE_CACHE_MB: '0',
    DEEPGRAM_API_KEY: 'bench',
    DEEPGRAM_BASE_URL: server.origin,
  },
});

function addResult(notice: ProvidersNotice): void {
  notifyParent(notice);
}
