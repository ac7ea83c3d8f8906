import { z } from 'zod';
import { checkCustomHeaders } from '../../../sip/message/custom-headers.ts';

/** Headers that a client sets on an INVITE or REFER, checked by the filter of signalling. Each fault names its header. */
export const customHeadersSchema = z
  .record(z.string(), z.string())
  .meta({ id: 'SipHeaders', description: 'SIP headers: names and values.' })
  .superRefine((headers, context) => {
    const check = checkCustomHeaders(headers);
    if (check.ok) return;
    for (const { field, message } of check.faults) {
      context.addIssue({ code: 'custom', path: field === null ? [] : [field], message });
    }
  });
