import { WebSocketServer } from 'ws';
import { LoopbackServer } from '../../test/providers/loopback-server.ts';
import { LoadMeter } from './load-meter.ts';
import { ModelServer } from './model-server.ts';
import { notifyParent, onParentCommand, requiredVariable } from './parent-channel.ts';
import type { ProvidersCommand, ProvidersNotice } from './process-messages.ts';
import { ProviderTurnTimes } from './provider-turn-times.ts';
import { scriptOf } from './script.ts';
import { TranscriberSocket } from './transcriber-socket.ts';
import { VoiceSocket } from './voice-socket.ts';

/**
 * All providers of a benchmark in one process, over real sockets: transcriber, model, voice, and the server of the agent's
 * function. Their delays are fixed. They record when messages arrive and leave.
 */
const FAULTS_MAX = 20;

const script = scriptOf(requiredVariable('BENCH_SCRIPT'), Number(requiredVariable('BENCH_TURNS')));
const turnTimes = new ProviderTurnTimes();
const load = new LoadMeter();
const faults: string[] = [];
const onFault = (fault: string) => {
  if (faults.length < FAULTS_MAX) faults.push(fault);
};
const model = new ModelServer(script, turnTimes, onFault);
const server = await LoopbackServer.listen();
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });

server.http.on('request', (request, response) => {
  if (request.method === 'POST') model.take(request, response);
  else response.setHeader('content-type', 'application/json').end('{"hours":"nine to five"}');
});
server.http.on('upgrade', (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, (providerSocket) => {
    providerSocket.on('error', () => undefined);
    if (request.url?.startsWith('/v1/listen')) new TranscriberSocket(providerSocket, script, turnTimes);
    else new VoiceSocket(providerSocket, script, turnTimes, onFault);
  });
});

onParentCommand(({ type }: ProvidersCommand) => {
  if (type === 'open') load.open();
  notify(type === 'open' ? { type: 'opened' } : { type: 'closed', load: load.close(), turns: turnTimes.all(), faults });
});
notify({
  type: 'started',
  functionUrl: `${server.origin}/hours`,
  environment: {
    OPENAI_API_KEY: 'bench',
    OPENAI_BASE_URL: `${server.origin}/v1`,
    // Cached phrases would skip the measured voice.
    PHRASE_CACHE_MB: '0',
    DEEPGRAM_API_KEY: 'bench',
    DEEPGRAM_BASE_URL: server.origin,
  },
});

function notify(notice: ProvidersNotice): void {
  notifyParent(notice);
}
