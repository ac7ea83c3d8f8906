import { parentPort } from 'node:worker_threads';
import { mapResponse, type ResponseMapping } from './response-mapping.ts';

/** One job at a time; the answer is a `MappingOutcome`. */
export interface MappingJob {
  readonly text: string;
  readonly mapping: ResponseMapping;
}

parentPort?.on('message', (job: MappingJob) => parentPort?.postMessage(mapResponse(job.text, job.mapping)));
