const E164 = /^\+[1-9][0-9]{6,14}$/;

/** A user part as E.164; null if it is no number. Carriers leave the plus out, or write 00 for it. */
export function e164(user: string): string | null {
  const digits = user.replace(/^\+|^00/, '').replace(/[().\s-]/g, '');
  const number = `+${digits}`;
  return E164.test(number) ? number : null;
}
