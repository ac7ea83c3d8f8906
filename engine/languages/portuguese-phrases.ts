import { PORTUGUESE_NUMBERS } from '../../base/text/number-words.ts';
import { dictatedNumbers } from './dictated-numbers.ts';
import type { LanguagePack } from './language-pack.ts';
import { PORTUGUESE_CLAUSES } from './portuguese-clauses.ts';
import { phraseSet, wordSet } from './word-lists.ts';

/** For Portugal and Brazil. */
export const PORTUGUESE: LanguagePack = {
  backchannels: phraseSet(`
    mhm, mm-hmm, hm, hmm, mm, mmm, aham, ahã, uhum, uh-hum, hum-hum, ah, ah sim, ah tá, oh, ok, okay, okey, sim,
    sim sim, é, pois, pois é, pois sim, tá, tá bom, tá bem, tá certo, está bem, está bom, está certo, certo, certinho,
    claro, claro que sim, com certeza, bom, bem, muito bem, ótimo, óptimo, perfeito, excelente, maravilha, beleza,
    legal, fixe, entendi, entendo, entendido, percebo, percebi, compreendo, sei, eu sei, já sei, exato, exatamente,
    exacto, exactamente, isso, isso mesmo, é isso, é verdade, verdade, correto, correcto, combinado, de acordo,
    sem dúvida, sem problema, não tem problema, não há problema, jura, sério, a sério, pode falar, diga, interessante`),
  attentionCalls: phraseSet(`
    alô, oi, olá, está lá, está aí, você está aí, ainda está aí, você ainda está aí, estás aí, ainda estás aí,
    tem alguém aí, há alguém aí, me ouve, ouve-me, está me ouvindo, você está me ouvindo, está a ouvir-me,
    estás a ouvir-me, consegue me ouvir, consegue ouvir-me`),
  stopPhrases: phraseSet(`
    para para, pare, para por favor, pare por favor, espera, espere, espera aí, espere aí, espera um pouco, calma,
    um momento, um momentinho, um minuto, um minutinho, um segundo, só um momento, só um minuto, só um instante,
    um instante, não, desculpe, desculpa, com licença, perdão, escuta, escute, olhe, deixa eu falar, deixe-me falar,
    deixe-me terminar, chega, basta, cale-se, esquece, esqueça, na verdade, stop`),
  farewells: phraseSet(`
    não obrigado, não obrigada, não muito obrigado, não muito obrigada, não é só isso, tchau, tchau tchau, xau, adeus,
    até logo, até mais, até breve, até já, até amanhã, até à próxima, até a próxima, até sexta, obrigado, obrigada,
    muito obrigado, muito obrigada, obrigadinho, obrigadão, valeu, agradeço, agradecido, agradecida, igualmente,
    para você também, pra você também, para si também, você também, o senhor também, a senhora também, da mesma forma,
    bom dia, boa tarde, boa noite, um bom dia, uma boa tarde, uma boa noite, tenha um bom dia, tenha uma boa tarde,
    tenha uma boa noite, bom fim de semana, bom final de semana, um abraço, abraço, cumprimentos, com licença,
    é só isso, só isso, é tudo, de nada, por nada, imagina`),
  clauses: PORTUGUESE_CLAUSES,
  dictation: {
    ...dictatedNumbers(PORTUGUESE_NUMBERS, 'duplo duplos dobro'),
    ambiguous: wordSet('a e o é à um uma meia mais'),
    alphabet: wordSet(`
      alfa ana bola bravo casa charlie dado delta escola eco faca foxtrot gato golfe hotel homem índia josé juliete
      kilo lima maria mike novembro navio oscar ovo papa pato quebec queijo rato romeu sapo sierra tango tatu uniforme
      uva vaca victor vítor whisky xadrez yankee zebra zulu`),
    letterLinks: phraseSet('de, como, como em'),
    atSign: wordSet('arroba at'),
    marks: wordSet('ponto hífen traço underline underscore barra vírgula mais cardinal jogo-da-velha sublinhado'),
    streets: wordSet('rua avenida travessa praça largo alameda estrada rodovia beco calçada quadra cep'),
    streetEndings: [],
    streetNameFollows: true,
  },
  abbreviations: wordSet('sr sra srta dr dra prof profa eng av r nº n tel aprox etc p.ex ex exmo ltda v.exa'),
  ordinalStop: false,
  apology:
    'Peço desculpa, ocorreu um problema do nosso lado. Por favor, ligue novamente um pouco mais tarde. Até logo.',
  emptyResponseApology: 'Desculpe, perdi o fio à meada. Pode repetir, por favor?',
  toolFiller: 'Um momento, por favor, ainda estou a tratar disso.',
  thinkingFiller: 'Um momento, por favor.',
  answeringMachine: {
    introduction: [
      'ligou para',
      'está|estás a falar com',
      'este|esta é',
      'aqui é|fala',
      'fala a|o|da|do',
      'bem-vindo|bem-vinda a|ao|à',
      'obrigado|obrigada por ligar|ter',
    ],
    recording: [
      'após|depois … sinal|bip|tom',
      'deixe|deixar … mensagem|recado',
      'grave … mensagem|recado',
      'grave seu nome',
    ],
    absence: [
      'caixa postal',
      'correio de voz',
      'caixa de mensagens',
      'secretária eletrônica',
      'não posso atender',
      'não podemos atender',
      'não estou disponível',
      'não estamos disponíveis',
    ],
    menu: [
      'pressione|digite|tecle|disque|marque … um|dois|três|quatro|cinco|seis|sete|oito|nove|zero|asterisco|cardinal|1|2|3|4|5|6|7|8|9|0',
      'prima … tecla|1|2|3|4|5|6|7|8|9|0',
      'menu principal',
      'seguintes opções',
    ],
    screening: [
      'diga|informe|indique … seu nome',
      'motivo da|da sua|sua chamada|ligação',
      'por que está ligando',
      'porque está a ligar',
    ],
    announcement: [
      'desligado ou fora',
      'fora de área|serviço',
      'não existe',
      'não está atribuído',
      'número que marcou|discado',
      'não foi possível completar',
    ],
    pleaseWait: [
      'aguarde … linha|momento',
      'por favor aguarde',
      'aguarde por favor',
      'não desligue',
      'um momento por favor',
      'vou transferir',
      'estamos transferindo',
    ],
  },
};
