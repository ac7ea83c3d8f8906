import { serveJobs } from '../../background/job-process/serve-jobs.ts';
import { mapResponse, type ResponseMapping } from './response-mapping.ts';

/** The result is a `MappingOutcome`. */
export interface MappingJob {
  readonly text: string;
  readonly mapping: ResponseMapping;
}

serveJobs(({ text, mapping }: MappingJob) => mapResponse(text, mapping));
