import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';

const DIGITS = [...'123456789*0#'];

export function Keypad({ onDigit }: { readonly onDigit: (digit: string) => void }) {
  const text = useText();
  return (
    <fieldset className="plain keypad" aria-label={text.talk.keypad}>
      {DIGITS.map((digit) => (
        <Button key={digit} onClick={() => onDigit(digit)}>
          {digit}
        </Button>
      ))}
    </fieldset>
  );
}
