import { parseArgs } from 'node:util';
import { readSpeech } from '../rtp-peer/speech-file.ts';
import { type CallOptions, call } from './caller.ts';

/**
 * A caller as a process: places one call and prints its report as JSON. Exit status 1: not answered; 2: invalid
 * options.
 */
const USAGE = `node test/caller/main.ts --target HOST:PORT --to USER
  [--transport udp|tcp] [--from USER] [--header 'Name: value']... [--codec pcmu|pcma]
  [--audio FILE.wav] [--record FILE.wav] [--dtmf MS:DIGITS]...
  [--hang-up callee|at_audio_end|MS] [--cancel-after MS] [--max-duration MS]`;

async function readOptions(): Promise<CallOptions | null> {
  const { values } = parseArgs({
    options: {
      target: { type: 'string' },
      to: { type: 'string' },
      from: { type: 'string', default: 'caller' },
      transport: { type: 'string', default: 'udp' },
      header: { type: 'string', multiple: true, default: [] },
      codec: { type: 'string' },
      audio: { type: 'string' },
      record: { type: 'string' },
      dtmf: { type: 'string', multiple: true, default: [] },
      'hang-up': { type: 'string', default: 'callee' },
      'cancel-after': { type: 'string' },
      'max-duration': { type: 'string' },
    },
  });
  const target = /^([^:]+):(\d+)$/.exec(values.target ?? '');
  if (target?.[1] === undefined || values.to === undefined) return null;
  const hangUp = values['hang-up'];
  const { codec } = values;
  return {
    target: { host: target[1], port: Number(target[2]) },
    to: values.to,
    from: values.from,
    protocol: values.transport === 'tcp' ? 'TCP' : 'UDP',
    headers: Object.fromEntries(values.header.map((line) => cut(line, ':'))),
    dtmf: values.dtmf.map((entry) => cut(entry, ':')).map(([ms, digits]) => ({ atMs: Number(ms), digits })),
    hangUp: hangUp === 'callee' || hangUp === 'at_audio_end' ? hangUp : { afterMs: Number(hangUp) },
    ...(codec === 'pcmu' || codec === 'pcma' ? { codecs: [codec] } : {}),
    ...(values.audio === undefined ? {} : { audio: await readSpeech(values.audio) }),
    ...(values.record === undefined ? {} : { recordTo: values.record }),
    ...(values['cancel-after'] === undefined ? {} : { cancelAfterMs: Number(values['cancel-after']) }),
    ...(values['max-duration'] === undefined ? {} : { durationMsMax: Number(values['max-duration']) }),
  };
}

function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

const options = await readOptions().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return null;
});
if (options === null) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else {
  const { heard, ...report } = await call(options);
  process.stdout.write(`${JSON.stringify({ ...report, heardMs: heard.length / 8 })}\n`);
  process.exitCode = report.answeredMs === null ? 1 : 0;
}
