// Replaces espeak-ng. Arguments: the file for its process id, and its plan for each text as JSON.
import { appendFileSync } from 'node:fs';

appendFileSync(process.argv[2], `${process.pid}\n`);
let text = '';
for await (const chunk of process.stdin) text += chunk;
const plan = JSON.parse(process.argv[3])[text] ?? { bytes: 100, value: 0, behaviour: 'speaks' };
const audio = Buffer.alloc(plan.bytes, plan.value);

const header = Buffer.alloc(44);
header.write('RIFF', 0);
header.writeUInt32LE(0x7ffff024, 4);
header.write('WAVEfmt ', 8);
header.writeUInt32LE(16, 16);
header.writeUInt16LE(1, 20);
header.writeUInt16LE(plan.behaviour === 'malformed' ? 2 : 1, 22);
header.writeUInt32LE(22050, 24);
header.writeUInt32LE(44100, 28);
header.writeUInt16LE(2, 32);
header.writeUInt16LE(16, 34);
header.write('data', 36);
header.writeUInt32LE(0x7ffff000, 40);

const write = (bytes) => new Promise((resolve) => process.stdout.write(bytes, resolve));
const forever = () => setInterval(() => undefined, 1_000);
if (plan.behaviour === 'no_answer') forever();
else {
  await write(header);
  if (plan.behaviour === 'no_first_byte') await new Promise(forever);
  if (plan.firstAudioMs > 0) await new Promise((resolve) => setTimeout(resolve, plan.firstAudioMs));
  for (let at = 0; at < audio.length; at += 1_001) {
    if (at > 0) {
      if (plan.behaviour === 'closed') process.kill(process.pid, 'SIGKILL');
      if (plan.behaviour === 'stalled') forever();
      if (plan.behaviour === 'stalled') break;
    }
    await write(audio.subarray(at, at + 1_001));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
