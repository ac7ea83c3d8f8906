import { fastDemo } from './fast-demo.ts';
import { liveDemo } from './live-demo.ts';

/** `npm run demo`: one call over real SIP and RTP. `-- --fast`: the same tape through the engine alone. */
const succeeded = process.argv.includes('--fast') ? await fastDemo() : await liveDemo();
process.exitCode = succeeded ? 0 : 1;
