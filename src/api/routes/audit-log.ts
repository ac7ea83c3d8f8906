import { z } from 'zod';
import type { AuditRecord } from '../../storage/access/audit-log-repository.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { scopeMissing } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import { auditCursor, auditFilter, auditLogQuery, auditRecordSchema } from '../schemas/audit-log.ts';
import { LIST_MESSAGE, listFields } from '../schemas/pagination.ts';

/** Who changed what, who intervened in calls, and who read what was said in them. */
export function auditLogRoutes(api: Api, { authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/audit-log',
    onRequest: authenticate('admin'),
    schema: {
      operationId: 'listAuditLog',
      summary: 'List the audit log',
      description:
        'Returns the changes of agents, numbers, trunks, API keys, webhook secrets, knowledge and post-call questions, the requests that ' +
        'pause, resume, transfer, end and delete calls, and each access to recordings, transcripts, tapes and captures, newest first. An ' +
        'access appears within a second. Repeated reads of a call, its timeline, its SIP messages or deliveries by one key and address are ' +
        'one record in ten minutes. Records are never changed, and deleted after `AUDIT_LOG_DAYS`. Needs the scope `admin`.',
      tags: ['Audit log'],
      querystring: auditLogQuery,
      response: {
        200: envelopeOf(z.array(auditRecordSchema), LIST_MESSAGE).extend(listFields),
        ...FAILURES,
        ...failures({ 403: scopeMissing('admin').message }),
      },
    },
    handler: async (request) => {
      const { cursor, limit } = request.query;
      const page = { before: cursor ?? null, limit };
      const found = await repositories.auditLog.list(organizationOf(request), auditFilter(request.query), page);
      const data = found.map(auditAnswer);
      const last = found.length === limit ? found.at(-1) : undefined;
      const next = last === undefined ? null : auditCursor(last);
      return { message: `${data.length} found`, data, error: null, status: 200, next_cursor: next };
    },
  });
}

function auditAnswer({
  action,
  address,
  atMs,
  id,
  keyId,
  status,
  targetId,
}: AuditRecord): z.output<typeof auditRecordSchema> {
  return { id, at: new Date(atMs).toISOString(), key_id: keyId, action, target_id: targetId, address, status };
}
