import { describe, expect, it } from 'vitest';
import { changesMeaning, isSubstantialChange } from '../../../engine/turn-detection/substantial-change.ts';

describe('a change of the user’s words after the commit', () => {
  it.each([
    ['en', 'I want a table', 'I want no table'],
    ['en', 'a table for four', 'a table for five'],
    ['en', 'a table', 'a table for 4'],
    ['en', 'a table for 14', 'a table for 40'],
    ['en', '4', '4 4'],
    ['en', 'on Monday', 'on Sunday'],
    ['en', 'in June', 'in July'],
    ['en', 'thirteen people', 'thirty people'],
    ['en', 'two tickets', '2 tickets for the 5th'],
    ['en', 'a table for', 'a table for 2 thousand'],
    ['en', 'call me at four two one', 'call me at 4 2 9'],
    ['en', 'call me at four two one', 'call me at 4 2 1 7'],
    ['fr', 'vingt et un', '22'],
    ['en', 'I can come', "I can't come"],
    ['en', 'somebody called me', 'nobody called me'],
    ['en', 'I need it', "I needn't do it"],
    ['de', 'den gibt es hier', 'den gibt es nirgends'],
    ['en', 'I need it', 'I need it tomorrow'],
    ['en', 'my name is Ada', 'my name is Eve'],
    ['en', 'my name is', 'my name is ada'],
    ['en', 'this goes to you', 'this goes to Camille'],
    ['en', 'a flight to Berlin', 'a flight to Bern'],
    ['en', 'a flight to berlin', 'a flight to Bern'],
    ['en', 'we fly to Austria', 'we fly to Australia'],
    ['en', 'send it to Mary', 'send it to Mark'],
    ['en', 'send it to Mari', 'send it to Maria'],
    ['en', 'a flight to', 'a flight to «Paris»'],
    ['es', 'quiero ir a Sevilla', 'quiero ir a Segovia'],
    ['en', 'a table', 'a table and could you also call a taxi for my mother'],
    ['en', 'a table', 'a table, my mother likes big windows, fresh flowers, candles'],
    ['en', 'a table', 'a table. And can you do it for me'],
    ['en', 'a table', 'a table. What do you have'],
    ['en', 'a table', 'a table. And the price?'],
    ['en', 'a table', 'a table. And the price؟'],
    ['de', 'einen Tisch', 'einen Tisch. Was habt ihr denn'],
    ['de', 'einen Tisch', 'einen Tisch. Können Sie das'],
    ['fr', 'une table', 'une table. Combien ça coûte'],
    ['es', 'una mesa', 'una mesa. ¿Cuánto cuesta?'],
    ['de', 'ich möchte das', 'ich möchte das nicht'],
    ['de', 'mein Name ist', 'mein Name Meier'],
    ['fr', 'je veux une table', 'je ne veux pas une table'],
    ['es', 'una mesa', 'una mesa para mañana'],
    ['it', 'un tavolo', 'nessun tavolo lunedì'],
    ['pt', 'quero uma mesa', 'não quero uma mesa'],
    ['nl', 'een tafel', 'geen tafel'],
    ['xx', 'a table', 'no table'],
  ])('in %s is substantial from «%s» to «%s»', (language, earlier, later) => {
    expect(isSubstantialChange(earlier, later, language)).toBe(true);
    expect(isSubstantialChange(later, earlier, language)).toBe(later.length - earlier.length < 15);
  });

  it.each([
    ['en', 'I want a table', 'I want a table, please. Thank you!'],
    ['en', 'I want a table', 'Um, I want uh a table'],
    ['en', 'I want a tabl', 'I want a table.'],
    ['en', 'I want a table', 'I wanted the tables'],
    ['en', 'for seventeen', 'for 17'],
    ['en', 'for 17 people', 'for seventeen people'],
    ['en', 'twenty people at five', '20 people at 5'],
    ['en', 'it is four two double one', 'it is 4 2 1 1'],
    ['en', 'two thousand', '2000'],
    ['en', '2000', 'two thousand'],
    ['fr', 'vingt et un', '21'],
    ['de', 'ein Tisch für siebzehn', 'ein Tisch für 17'],
    ['en', 'Yes I do', 'Yes, I do.'],
    ['en', 'that is it', 'That is it, I think, really'],
    ['en', 'a table', 'a table, okay? Thank you?'],
    ['en', 'a table', 'a table, I can see'],
    ['en', 'a table', 'a table, okay? Right?'],
    ['en', 'a table', 'a table for her, for him, for us and for all of you'],
    ['en', 'I have a phone', 'I have an iPhone'],
    ['en', 'we organised coloured tables, travelled, favoured it', 'we organized colored table, traveled, favored it'],
    ['en', 'we labelled places', 'we labeled the place'],
    ['en', 'You have a table', 'You have a table?'],
    ['de', 'ich möchte', 'ich möchte einen Tisch'],
    ['fr', 'une table', "une table, s'il vous plaît, merci"],
  ])('in %s is not substantial from «%s» to «%s»', (language, earlier, later) => {
    expect(isSubstantialChange(earlier, later, language)).toBe(false);
  });
});

describe('a change of the user’s words before the answer is heard', () => {
  it.each([
    ['my card', 'my cart'],
    ['send it by male', 'send it by mail'],
    ['I need a form', 'I need a fork'],
    ['cancel the delivery', 'cancel the delay'],
    ['I want to receive it', 'I want the receipt'],
  ])('has another meaning from «%s» to «%s», though after the commit it would be too small', (earlier, later) => {
    expect(changesMeaning(earlier, later, 'en')).toBe(true);
    expect(isSubstantialChange(earlier, later, 'en')).toBe(false);
  });

  it.each([
    ['send it to Anna', 'send it to Annabel'],
    ['send it to anna', 'send it to Annabel'],
    ['send it to Anna', 'send it to annabel'],
  ])('has another meaning from the name in «%s» to the one in «%s»', (earlier, later) => {
    expect(changesMeaning(earlier, later, 'en')).toBe(true);
  });

  it.each([
    ['I want a tabl', 'I want a table.'],
    ['I want it', 'I wanted it'],
    ['please organise it', 'please organize it'],
    ['a colour', 'a color'],
  ])('has the same meaning from «%s» to «%s»', (earlier, later) => {
    expect(changesMeaning(earlier, later, 'en')).toBe(false);
  });
});
