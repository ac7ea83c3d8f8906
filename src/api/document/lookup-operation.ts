import type { z } from 'zod';
import { lookupQuestionSchema } from '../../calls/lookup/lookup-question.ts';
import { lookupAnswerBody } from '../schemas/lookup-answer.ts';
import { schemaReference } from './openapi-document.ts';

const DESCRIPTION = `Sent to the \`lookup_webhook_url\` of a phone number for each call to it, before the answer. Signed as every webhook
(Standard Webhooks), with the secret of the number's inbound agent. The caller waits for it: answer within 2 seconds in all.

A status 2xx with a JSON body decides the call. An empty body or \`{}\` leaves it to the inbound agent. The lookup fails if there is no answer
in time, the address is not allowed, the status is not 2xx, or the body is not valid. Redirects are not followed, and the request is not
repeated. After a failed lookup the inbound agent takes the call, and the log gets a line with the \`call_id\`. The body is validated like a
request that starts a call; at most 1 MiB.`;

/** The request to a lookup webhook, and its answer, in the webhooks section of the document. */
export function lookupOperation() {
  return {
    post: {
      operationId: 'inbound_call_lookup',
      summary: 'inbound_call_lookup',
      description: DESCRIPTION,
      tags: ['Webhooks'],
      security: [],
      requestBody: { required: true, content: { 'application/json': shown('LookupQuestion', lookupQuestionSchema) } },
      responses: {
        '200': {
          description: 'The decision about the call.',
          content: { 'application/json': shown('LookupAnswer', lookupAnswerBody) },
        },
        '204': { description: 'The inbound agent of the number takes the call.' },
        default: { description: 'The lookup failed: the inbound agent of the number takes the call.' },
      },
    },
  };
}

/** A named schema with the examples of its definition. */
function shown(name: string, schema: z.ZodType) {
  const given = schema.meta()?.examples;
  const examples: readonly unknown[] = Array.isArray(given) ? given : [];
  return {
    schema: schemaReference(name),
    examples: Object.fromEntries(examples.map((value, index) => [`example_${index + 1}`, { value }])),
  };
}
