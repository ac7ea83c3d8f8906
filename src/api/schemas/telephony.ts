import { isIP } from 'node:net';
import { z } from 'zod';
import { isSafeHeaderValue } from '../../../sip/signalling/custom-headers.ts';
import { parseAddressRange } from '../../http-guard/address-range.ts';
import { phoneNumberSchema, timestamp } from './primitives.ts';

const NAME_LENGTH_MAX = 100;
const ALLOWED_ADDRESSES_MAX = 100;
const PRIORITY_MAX = 1_000;
/** Far beyond what one node carries. */
const LIMIT_MAX = 100_000;

const name = z.string().min(1).max(NAME_LENGTH_MAX);

const numberFields = {
  name,
  inbound_agent_id: z.uuid().nullable().describe('Answers calls to this number that were not staged.'),
  redirect: z.boolean(),
  redirect_phone_number: phoneNumberSchema.nullable(),
  trunk_id: z.uuid().nullable().describe('The SIP trunk that calls from this number go out by.'),
};

export const phoneNumberBody = z
  .strictObject({
    number: phoneNumberSchema,
    name: name.optional().describe('The number itself where it is left out.'),
    type: z.enum(['pstn', 'sip']).default('sip'),
    inbound_agent_id: numberFields.inbound_agent_id.default(null),
    redirect: z.boolean().default(false),
    redirect_phone_number: numberFields.redirect_phone_number.default(null),
    trunk_id: numberFields.trunk_id.default(null),
  })
  .meta({ examples: [{ number: '+493012345678', name: 'Front desk' }] });

export const phoneNumberPatch = z
  .strictObject(numberFields)
  .partial()
  .meta({ examples: [{ inbound_agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11' }] });

export const phoneNumberAnswerSchema = z.object({
  id: z.uuid(),
  number: z.string(),
  name: z.string(),
  created_at: timestamp,
  type: z.enum(['pstn', 'sip']),
  inbound_agent_id: z.uuid().nullable(),
  redirect: z.boolean(),
  redirect_phone_number: z.string().nullable(),
  trunk_id: z.uuid().nullable(),
  sip_uri: z.string().nullable().optional().describe('Of a number of type sip.'),
});

/** Stands in a header and in a URI of ours. */
const credential = z.string().min(1).refine(isSafeHeaderValue, 'expected no control characters');

const limit = z.int().min(1).max(LIMIT_MAX).nullable().default(null);

/** `host[:port]`; an IPv6 address stands in brackets (RFC 3261 §25.1, hostport). */
const hostPort = z
  .string()
  .max(260)
  .regex(/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)(:\d{1,5})?$/, 'expected host or host:port')
  .refine((text) => {
    const [, bracketed, portText] = /^(?:\[(.*)\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
    const portFits = portText === undefined || (Number(portText) >= 1 && Number(portText) <= 65_535);
    return portFits && (bracketed === undefined || isIP(bracketed) === 6);
  }, 'expected host or host:port');

const addressRange = z.string().refine((text) => {
  try {
    parseAddressRange(text);
    return true;
  } catch {
    return false;
  }
}, 'expected an IP address or a CIDR range');

export const sipTrunkBody = z
  .strictObject({
    name,
    termination_uri: hostPort.describe('Where its calls are sent: host or host:port.'),
    transport: z.enum(['udp', 'tcp', 'tls']).default('udp'),
    username: credential.max(255).nullable().default(null),
    password: credential.max(1_000).nullable().default(null).describe('Write-only.'),
    allowed_addresses: z
      .array(addressRange)
      .max(ALLOWED_ADDRESSES_MAX)
      .default([])
      .describe(
        'Where its calls come from: addresses or CIDR ranges. Empty: from anywhere, and where the trunk has a password and does not register, only from those who prove it (digest).',
      ),
    register: z.boolean().default(false).describe('Registers with the trunk, which needs username and password.'),
    codecs: z
      .array(z.enum(['pcmu', 'pcma', 'g722', 'opus']))
      .max(4)
      .default([])
      .describe('What is offered to it, in order of preference; empty: what the service prefers.'),
    srtp: z
      .enum(['off', 'optional', 'required'])
      .default('off')
      .describe('Whether the audio of its calls is encrypted.'),
    max_concurrent_calls: limit.describe(
      'Calls placed through it at once; one more goes to the next trunk, or is refused.',
    ),
    max_calls_per_second: limit.describe('Calls placed through it within a second.'),
    priority: z
      .int()
      .min(0)
      .max(PRIORITY_MAX)
      .nullable()
      .default(null)
      .describe(
        'Where the trunk of a number fails (no connection, 408 or 503 before it rings) or is at its limits, the trunks with a priority are tried, the lowest first. null: only calls of its own numbers go through it.',
      ),
  })
  .refine((trunk) => !trunk.register || (trunk.username !== null && trunk.password !== null), {
    path: ['register'],
    message: 'needs username and password',
  })
  .meta({
    examples: [{ name: 'Carrier', termination_uri: 'sip.example.com:5060', allowed_addresses: ['192.0.2.0/24'] }],
  });

export const sipTrunkAnswerSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  termination_uri: z.string(),
  transport: z.enum(['udp', 'tcp', 'tls']),
  username: z.string().nullable(),
  allowed_addresses: z.array(z.string()),
  register: z.boolean(),
  codecs: z.array(z.string()),
  srtp: z.enum(['off', 'optional', 'required']),
  max_concurrent_calls: z.int().nullable(),
  max_calls_per_second: z.int().nullable(),
  priority: z.int().nullable(),
  registration: z
    .object({
      status: z.enum(['registering', 'registered', 'failed', 'unregistered']),
      expires_at: timestamp.nullable(),
      error: z.string().nullable().describe('Why the last try failed; it is tried again.'),
    })
    .nullable()
    .describe('null for a trunk that this node does not register with.'),
  created_at: timestamp,
});
