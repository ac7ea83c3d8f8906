import { startEmbeddedServer } from '../../sip/server/embedded-server.ts';
import { createSignalling } from '../../sip/signalling/create-signalling.ts';
import { notifyParent, onParentCommand } from '../rig/parent-channel.ts';

// Answers every call at once with signalling only, on the embedded server or a drachtio-server.

export type AnswererCommand = { readonly type: 'cpu' };

export type AnswererNotice =
  | { readonly type: 'started'; readonly sipPort: number }
  | {
      readonly type: 'cpu';
      /** CPU since the start of the process, ms: of all threads, and of the main thread. */
      readonly processMs: number;
      readonly mainMs: number;
      readonly answered: number;
      /** Calls that have ended. */
      readonly ended: number;
      readonly faults: number;
      readonly residentMb: number;
    };

const ANSWER = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 20000 RTP/AVP 0\r\n';
const DRACHTIO_SECRET_DEFAULT = 'cymru';

let answered = 0;
let ended = 0;
let faults = 0;
const onFault = () => {
  faults += 1;
};
const signalling = await createSignalling({ server: await serverOf(process.env.DRACHTIO_URL), onFault });
signalling.onInvite((invite) => {
  invite.ring();
  invite.accept(ANSWER).then((dialog) => {
    if (dialog === null) return;
    answered += 1;
    dialog.onEnded(() => {
      ended += 1;
    });
  }, onFault);
});
onParentCommand((_command: AnswererCommand) => {
  const allThreads = process.cpuUsage();
  const mainThread = process.threadCpuUsage();
  notifyParent<AnswererNotice>({
    type: 'cpu',
    processMs: (allThreads.user + allThreads.system) / 1_000,
    mainMs: (mainThread.user + mainThread.system) / 1_000,
    answered,
    ended,
    faults,
    residentMb: process.memoryUsage.rss() / 2 ** 20,
  });
});
notifyParent<AnswererNotice>({ type: 'started', sipPort: signalling.addresses[0]?.port ?? 0 });

async function serverOf(drachtio: string | undefined) {
  if (drachtio === undefined || drachtio === '') {
    const sources = { listed: ['127.0.0.1'], open: false };
    const server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0, sources });
    return () => server;
  }
  const [host = '127.0.0.1', port = '9022'] = drachtio.split(':');
  const secret = process.env.DRACHTIO_SECRET ?? DRACHTIO_SECRET_DEFAULT;
  return () => ({ host, port: Number(port), secret });
}
