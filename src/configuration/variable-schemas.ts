import { isIP } from 'node:net';
import { z } from 'zod';
import { type AddressRange, parseAddressRanges } from '../../base/network/address-range.ts';

export const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= 65_535);
export const count = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number)
  .refine((value) => value >= 1);
export const megabytes = z
  .string()
  .regex(/^\d{1,6}$/)
  .transform(Number);
/** More hosts than the cores of large machines only take memory. */
export const hosts = z
  .string()
  .regex(/^\d{1,3}$/)
  .transform(Number)
  .refine((value) => value <= 256);
/** At most a day. */
export const seconds = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= 86_400);
/** At most a hundred years. */
export const days = count.refine((value) => value <= 36_500);
/** A URL that the driver can parse: a `%` in the user or password must be written `%25`. */
export const databaseUrl = z.string().refine((value) => {
  try {
    const { protocol, username, password } = new URL(value);
    decodeURIComponent(username + password);
    return protocol === 'postgres:' || protocol === 'postgresql:';
  } catch {
    return false;
  }
});
export const ip = z.string().refine((value) => isIP(value) !== 0);
export const httpUrl = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''));
export const text = z.string().min(1);
export const flag = z.stringbool({ truthy: ['true'], falsy: ['false'] });

export const rtpPorts = z
  .string()
  .regex(/^\d{1,5}-\d{1,5}$/)
  .transform((value) => {
    const [first = 0, last = 0] = value.split('-').map(Number);
    return { first, last };
  })
  .refine(({ first, last }) => first % 2 === 0 && first >= 1_024 && last <= 65_535 && last > first);

export const sipServer = z
  .string()
  .regex(/^[^:\s]+:\d{1,5}$/)
  .transform((value) => {
    const [host = '', serverPort] = value.split(':');
    return { host, port: Number(serverPort) };
  })
  .refine((value) => value.port >= 1 && value.port <= 65_535);

export const masterKey = z
  .string()
  .transform((value) => Uint8Array.from(Buffer.from(value, /^[0-9a-fA-F]{64}$/.test(value) ? 'hex' : 'base64')))
  .refine((key) => key.length === 32);

/** `off`, or an address and a port: `127.0.0.1:9464`, `[::1]:9464`. */
export const metricsBind = z
  .string()
  .transform((value) => {
    if (value === 'off') return null;
    const [, bracketed, plain, given = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(value) ?? [];
    return { host: bracketed ?? plain ?? '', port: Number(given) };
  })
  .refine((bind) => bind === null || (isIP(bind.host) !== 0 && bind.port <= 65_535));

/** As browsers send them in `Origin`: scheme, host and port, without a path. */
export const origins = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((origin) => origin.trim())
      .filter((origin) => origin !== ''),
  )
  .refine((list) =>
    list.every((origin) => origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)),
  );

export const addressRanges = z.string().transform((value, context): readonly AddressRange[] => {
  try {
    return parseAddressRanges(value);
  } catch (error) {
    context.addIssue({ code: 'custom', message: String(error) });
    return z.NEVER;
  }
});

/** `none`, or ranges. */
export const networks = z
  .string()
  .transform((value) => (value === 'none' ? '' : value))
  .pipe(addressRanges);
