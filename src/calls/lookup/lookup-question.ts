import { z } from 'zod';

/** The request to a lookup webhook. The API document shows this schema. */
export const lookupQuestionSchema = z
  .object({
    id: z.string().describe('Identifier of the request, also in the header `webhook-id`.'),
    type: z.literal('inbound_call_lookup').describe('Kind of the request.'),
    created_at: z.iso.datetime().describe('Time of the request, ISO 8601.'),
    organization_id: z.uuid().describe('Organization that owns the number.'),
    agent_id: z.uuid().describe('Inbound agent of the number.'),
    call_id: z.uuid().describe('Identifier of the call. A refused call has no record.'),
    data: z
      .object({
        phone_number_id: z.uuid().describe('Identifier of the dialled number.'),
        to_number: z.string().describe('The dialled number, E.164.'),
        from_number: z.string().nullable().describe('Number of the caller, E.164. null if it is withheld.'),
        sip_call_id: z.string().describe('Call-ID of the INVITE.'),
        sip_headers: z
          .record(z.string(), z.string())
          .describe('Headers of the INVITE that `sip_header_variables` lists, as the caller wrote them.'),
      })
      .describe('The call.'),
  })
  .meta({
    id: 'LookupQuestion',
    description: 'The request to a lookup webhook.',
    examples: [
      {
        id: 'lookup_5b0e3f0c-5a0b-4a8e-8f6e-0a6f4c1b2d33',
        type: 'inbound_call_lookup',
        created_at: '2026-03-02T09:14:58.020Z',
        organization_id: '00000000-0000-4000-8000-000000000001',
        agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11',
        call_id: '8f14e45f-ceea-467f-9d1c-2b0a6c1f3a55',
        data: {
          phone_number_id: 'c9f0f895-fb98-4b91-9d3f-7a1d2f3c4b22',
          to_number: '+493012345678',
          from_number: '+4915112345678',
          sip_call_id: 'a84b4c76e66710@198.51.100.9',
          sip_headers: { 'X-Customer': '4711' },
        },
      },
    ],
  });

export type LookupQuestion = z.output<typeof lookupQuestionSchema>;
