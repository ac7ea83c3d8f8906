import { describe, expect, it } from 'vitest';
import { agentRequest } from '../../../engine/completeness/agent-request.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

describe('the request in a text of the agent', () => {
  it('is its last question', () => {
    expect(agentRequest('When? And where? I see.', languagePack('en'))).toBe('And where?');
    expect(agentRequest('When？And where？I see.', languagePack('en'))).toBe('And where？');
  });

  it.each([
    ['en', 'I need your date of birth.'],
    ['en', 'Tell me which one.'],
    ['de', 'Bitte nennen Sie mir Ihre Kundennummer.'],
    ['fr', 'Donnez-moi votre numéro de téléphone.'],
    ['es', 'Dígame su número de teléfono.'],
    ['it', 'Mi dica il suo numero di telefono.'],
    ['nl', 'Geef me uw telefoonnummer.'],
    ['pt', 'Diga-me o seu número de telefone.'],
  ])('is its last sentence if that asks for something (%s): %s', (language, sentence) => {
    expect(agentRequest(`Okay. ${sentence}`, languagePack(language))).toBe(sentence);
  });

  it.each([
    ['en', "I've got your phone number."],
    ['en', 'Thank you for your order number.'],
    ['en', 'Great, your number is saved.'],
    ['en', 'I see what you mean.'],
    ['en', 'Take your time.'],
    ['de', 'Danke, Ihre Kundennummer habe ich notiert.'],
    ['fr', "J'ai noté votre numéro de téléphone."],
    ['es', 'He anotado su número de teléfono.'],
    ['it', 'Ho preso il suo numero di telefono.'],
    ['nl', 'Ik heb uw telefoonnummer genoteerd.'],
    ['pt', 'Tenho o seu número de telefone.'],
  ])('is empty after a statement (%s): %s', (language, sentence) => {
    expect(agentRequest(sentence, languagePack(language))).toBe('');
  });
});
