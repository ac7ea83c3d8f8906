import { serveJobs } from '../../../../src/background/job-process/serve-jobs.ts';

export interface OddJob {
  readonly what: 'echo' | 'never ends' | 'fills the heap' | 'fills memory beside the heap' | 'throws' | 'environment';
  readonly text?: string;
}

serveJobs(({ what, text = '' }: OddJob): string => {
  if (what === 'never ends') for (;;);
  if (what === 'fills the heap') {
    const held: object[] = [];
    for (;;) held.push({ index: held.length });
  }
  if (what === 'fills memory beside the heap') {
    const held: Uint8Array[] = [];
    for (;;) held.push(new Uint8Array(1_048_576).fill(1));
  }
  if (what === 'throws') throw new Error('odd');
  return what === 'environment' ? Object.keys(process.env).join() : text;
});
