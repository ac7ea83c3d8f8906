import { z } from 'zod';

export const callerReportSchema = z.looseObject({
  statuses: z.array(z.number()),
  endedBy: z.string(),
  answeredMs: z.number().nullable(),
  ladder: z.array(z.string()),
});
export type CallerReport = z.output<typeof callerReportSchema>;
