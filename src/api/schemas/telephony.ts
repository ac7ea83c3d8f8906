import { isIP } from 'node:net';
import { z } from 'zod';
import { parseAddressRange } from '../../http-guard/address-range.ts';
import { phoneNumberSchema, timestamp } from './primitives.ts';

const NAME_LENGTH_MAX = 100;
const ALLOWED_ADDRESSES_MAX = 100;

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
    transport: z.enum(['udp', 'tcp']).default('udp'),
    username: z.string().min(1).max(255).nullable().default(null),
    password: z.string().min(1).max(1_000).nullable().default(null).describe('Write-only.'),
    allowed_addresses: z
      .array(addressRange)
      .max(ALLOWED_ADDRESSES_MAX)
      .default([])
      .describe('Where its calls come from: addresses or CIDR ranges.'),
  })
  .meta({
    examples: [{ name: 'Carrier', termination_uri: 'sip.example.com:5060', allowed_addresses: ['192.0.2.0/24'] }],
  });

export const sipTrunkAnswerSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  termination_uri: z.string(),
  transport: z.enum(['udp', 'tcp']),
  username: z.string().nullable(),
  allowed_addresses: z.array(z.string()),
  created_at: timestamp,
});
