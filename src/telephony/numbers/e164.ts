const E164 = /^\+[1-9][0-9]{6,14}$/;

/** A dialled or calling user part as E.164; carriers leave the plus out, or write 00 for it. Null where it is no number. */
export function e164(user: string): string | null {
  const digits = user.replace(/^\+|^00/, '').replace(/[().\s-]/g, '');
  const number = `+${digits}`;
  return E164.test(number) ? number : null;
}
