import { z } from 'zod';
import type { AuditFilter, AuditPlace } from '../../storage/access/audit-log-repository.ts';
import { AUDITED_OPERATIONS } from '../audit/audited-operations.ts';
import { pageQuery } from './pagination.ts';
import { givenId, givenTime, givenTimeMs, timestamp } from './primitives.ts';

const CURSOR = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)_([0-9a-f-]{36})$/;

const cursorSchema = z.string().transform((text, context): AuditPlace => {
  const [, instant, id] = CURSOR.exec(text) ?? [];
  const atMs = Date.parse(instant ?? '');
  if (id !== undefined && !Number.isNaN(atMs)) return { atMs, id };
  context.addIssue({ code: 'custom', message: 'expected the next_cursor of a previous response' });
  return z.NEVER;
});

export const auditLogQuery = pageQuery.pick({ limit: true }).extend({
  cursor: cursorSchema.optional().describe('`next_cursor` of the previous response.'),
  action: z.enum(AUDITED_OPERATIONS).optional().describe('Only this operation.'),
  key_id: givenId.optional().describe('Only requests with this API key.'),
  target_id: givenId.optional().describe('Only requests about this call, agent, trunk, number or key.'),
  from: givenTime.optional().describe('Only requests at or after this time, ISO 8601.'),
  to: givenTime.optional().describe('Only requests before this time, ISO 8601.'),
});

const EXAMPLE = {
  id: '0b7f6a52-0d6c-4a53-9d5b-0a1f2b3c4d5e',
  at: '2026-03-02T09:15:01.240Z',
  key_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11',
  action: 'getRecording',
  target_id: '8f14e45f-ceea-467f-9d1c-2b0a6c1f3a55',
  address: '192.0.2.7',
  status: 200,
};

export const auditRecordSchema = z
  .object({
    id: z.uuid().describe('Identifier of the record.'),
    at: timestamp.describe('Time of the response, ISO 8601.'),
    key_id: z
      .uuid()
      .nullable()
      .describe('API key of the request. null: a recording was opened by its `recording_url`.'),
    action: z.string().describe('Operation of the API, by its `operationId` in the OpenAPI document.'),
    target_id: z
      .uuid()
      .nullable()
      .describe('The resource of the request, or the one that it created. null for a list, unless it is one call’s.'),
    address: z.string().describe('IP address of the client, or of the proxy in front of the service.'),
    status: z.int().min(100).max(599).describe('HTTP status of the response.'),
  })
  .meta({ id: 'AuditRecord', description: 'An audited request.', examples: [EXAMPLE] });

export function auditFilter(query: z.output<typeof auditLogQuery>): AuditFilter {
  const { action, from, key_id: keyId, target_id: targetId, to } = query;
  return {
    ...(action !== undefined && { action }),
    ...(keyId !== undefined && { keyId }),
    ...(targetId !== undefined && { targetId }),
    ...(from !== undefined && { fromMs: givenTimeMs(from) }),
    ...(to !== undefined && { toMs: givenTimeMs(to) }),
  };
}

/** The inverse of `cursorSchema`. */
export function auditCursor({ atMs, id }: AuditPlace): string {
  return `${new Date(atMs).toISOString()}_${id}`;
}
