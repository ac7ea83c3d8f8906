import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../../base/time/clock.ts';
import type { AuditLog } from './audit-log.ts';
import { auditKind, isRepeatedAccess } from './audited-operations.ts';
import { RepeatedAccesses } from './repeated-accesses.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The organization of a recording that a link has opened. */
    linkedOrganizationId: string | null;
    /** Id of the resource that a request has created. */
    createdId: string | null;
    /** The response lists answers to post-call questions. */
    listsAnswers: boolean;
  }
}

const withId = z.object({ id: z.uuid() });
const includesContent = z.union([
  z.object({ include_transcript: z.literal(true) }),
  z.object({ include_variable_values: z.literal(true) }),
]);
const ofCall = z.object({ call_id: z.uuid() });
const created = z.object({ data: withId });

/**
 * Records each audited request of a known organization with its result: also one that a scope or a missing resource refuses. An unknown
 * key belongs to no organization: only the log has its requests. Reads that an open page repeats are one record in ten minutes.
 */
export function auditRequests(
  app: FastifyInstance,
  log: Pick<AuditLog, 'add' | 'stored'>,
  clock: Pick<Clock, 'wallMs'>,
): void {
  app.decorateRequest('linkedOrganizationId', null);
  app.decorateRequest('createdId', null);
  app.decorateRequest('listsAnswers', false);
  app.addHook('preSerialization', async (request, _reply, payload) => {
    if (request.method === 'POST' && kindOf(request) === 'change')
      request.createdId = created.safeParse(payload).data?.data.id ?? null;
    return payload;
  });
  const repeated = new RepeatedAccesses();
  /** False without an organization. */
  const record = (request: FastifyRequest, reply: FastifyReply): boolean => {
    const organizationId = request.apiKey?.organizationId ?? request.linkedOrganizationId;
    if (organizationId === null) return false;
    const action = operationOf(request);
    const atMs = clock.wallMs();
    const recorded = {
      organizationId,
      keyId: request.apiKey?.id ?? null,
      action,
      targetId: targetOf(request),
      address: request.ip,
      status: reply.statusCode,
    };
    const access = { ...recorded, query: request.query };
    if (isRepeatedAccess(action) && repeated.isRepetition(access, atMs)) return true;
    log.add({ id: randomUUID(), atMs, ...recorded });
    return true;
  };
  app.addHook('onSend', async (request, reply, payload) => {
    if (kindOf(request) === 'change' && record(request, reply)) await log.stored();
    return payload;
  });
  // Runs for a stream, too: at its end.
  app.addHook('onResponse', async (request, reply) => {
    if (kindOf(request) === 'access') record(request, reply);
  });
}

function kindOf(request: FastifyRequest): 'change' | 'access' | null {
  const operation = operationOf(request);
  if (operation === 'listCalls' && !request.listsAnswers && !includesContent.safeParse(request.query).success)
    return null;
  return auditKind(operation);
}

/** The resource in the path, the one that was created, or the call whose deliveries are listed. */
function targetOf({ createdId, params, query }: FastifyRequest): string | null {
  const named = withId.safeParse(params).data?.id ?? ofCall.safeParse(query).data?.call_id;
  return named?.toLowerCase() ?? createdId;
}

function operationOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.schema?.operationId ?? '';
}
