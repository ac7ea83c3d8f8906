import { type JobLink, serveJobs } from '../../../../src/background/job-process/serve-jobs.ts';

export interface TestJob {
  readonly what:
    | 'echo'
    | 'asks'
    | 'never ends'
    | 'fills the heap'
    | 'fills memory beside the heap'
    | 'throws'
    | 'environment';
  readonly text?: string;
}

serveJobs(({ what, text = '' }: TestJob, link: JobLink<string, string>): string | Promise<string> => {
  if (what === 'asks') {
    return new Promise((answer) => {
      link.onMessage((reply) => answer(`heard ${reply}`));
      link.post(text);
    });
  }
  if (what === 'never ends') for (;;);
  if (what === 'fills the heap') {
    const retained: object[] = [];
    for (;;) retained.push({ index: retained.length });
  }
  if (what === 'fills memory beside the heap') {
    const retained: Uint8Array[] = [];
    for (;;) retained.push(new Uint8Array(1_048_576).fill(1));
  }
  if (what === 'throws') throw new Error('injected');
  return what === 'environment' ? Object.keys(process.env).join() : text;
});
