import type { ClauseWords } from './clause-words.ts';
import { phraseSet, wordSet } from './word-lists.ts';

export const PORTUGUESE_CLAUSES: ClauseWords = {
  open: wordSet(`
    e ou nem mas porém porque pois que embora o a os as um uma uns umas do da dos das de no na nos nas em ao à aos
    às pelo pela pelos pelas por para pra pro com sem sobre entre até desde durante numa num dum duma meu minha meus
    minhas teu tua seu sua seus suas nosso nossa este esta esse essa aquele aquela cada qualquer algum alguma nenhum
    eh ehm hum hã éh senhor senhora dona tão`),
  mostlyOpen: wordSet('é são era está estão estou sou foi se como me lhe nos te chamo chama'),
  openUnmarked: wordSet(`
    seja estava quando onde enquanto então eu ele ela eles nós você vocês tenho tem temos tinha posso pode
    podemos podia poderia quero quer queremos queria gostaria preciso precisa devo deve vou vai vamos há qual
    quem quanto quantos tipo ligo qualquer podes podem podiam poderiam querem queriam devemos devem devia deviam
    deveria tens têm tinham vão ia iam havia precisamos precisam precisava costumo costuma pudesse possam
    tivesse houvesse`),
  openEndings: phraseSet(`
    eu queria, eu gostaria, gostaria de, gostava de, eu gostava, eu quero, queria saber, gostaria de saber,
    gostava de saber, queria perguntar, eu preciso, preciso de, eu precisava, precisava de, eu tenho, tenho um,
    tenho uma, eu estou, estou a ligar, estou ligando, estou a procurar, estou procurando, estou com, pode me,
    pode-me, você pode, você pode me, poderia me, podia me, podia-me, pode dizer-me, pode me dizer, poderia me
    dizer, podia dizer-me, o senhor pode, a senhora pode, é possível, seria possível, tem como, há um, há uma, o
    meu nome é, meu nome é, eu me chamo, chamo-me, o problema é, o problema é que, a questão é, a questão é que,
    é que, o que, a que, ou seja, ligo para, ligo por, ligo porque, estou ligando para, estou ligando porque,
    trata-se de, tem a ver com, antes de, depois de, perto de, a partir de, por causa de, em vez de, um pouco
    de, um de, uma de, eu acho, eu acho que, acho que, penso que, creio que, saber se, ver se, saber quando,
    saber quanto, estava pensando, estava a pensar, me perguntava, tem algum, tem alguma, têm algum, têm alguma,
    há algum, há alguma, às, pelas, para que, já que, do que, o número é, vocês têm, você tem, eu ia, estou a
    tentar, estou tentando, tento, sou o doutor, sou a doutora, queria, gostaria, gostava, poderia, podia, será
    que, que fosse, que seja, que esteja, que haja, que possa, que tenha, e outra coisa, mais uma coisa, e ainda não,
    mas ainda não, e não, mas não`),
  reportEndings: phraseSet(`
    queria dizer, quero dizer, me disse, me disseram, disse-me, disseram-me`),
  closedEndings: phraseSet(`
    acho que sim, acho que não, penso que sim, creio que sim, eu sei, não sei, como é, onde é, onde está, quem
    é, o que é, qual é, quando é, quanto é, quanto custa, sim posso, sim tenho, sim quero, sim sou, não posso,
    não tenho, não quero, sou eu, eu também, ele também, já está, assim está, é isso que é, se puder, se pode,
    quando puder, quando pode, se for possível, não é, pois é, não está, tudo bem com você, e você, com você,
    para você, pra você, com ele, com ela, para ele, para ela, sim está, não há, sim há, sim é, porque não, por
    quê, porquê, o quê, não tem, já tem, sim tem, não quer, não vai, não pode, sim pode, até mais, não mais,
    nada mais, onde estão, como estão, quem são, quanto são, quais são, e meia, em ponto, ponto com, o que seja,
    o que for, ou seja o que for`),
  objectVerbs: wordSet(`
    quero queria preciso procuro reservar comprar pedir trocar mudar fazer ter tenho dar pôr enviar mandar receber
    marcar alterar encontrar trazer levar solicitar confirmar adicionar agendar remarcar precisamos queremos
    procuramos`),
  verbFinal: false,
  particles: wordSet(''),
  particleVerbs: wordSet(''),
  questionWords: wordSet('quem onde quando como quanto quanta quantos quantas qual quais porquê'),
  auxiliaries: wordSet(`
    pode posso podia poderia é está tem quer devo deve vou vai tenho quero são podes podemos podem podiam
    poderiam queremos querem queria queriam devemos devem devia deviam deveria tens temos têm tinha tinham vamos
    vão ia iam há havia preciso precisa precisamos precisam precisava costumo costuma pudesse possam
    tivesse houvesse`),
  pronouns: wordSet('eu você vocês ele ela nós tu'),
  clauseOpeners: phraseSet(`
    se, quando, enquanto, embora, caso, no caso de, assim que, logo que, antes que, depois que, a menos que, mesmo
    que, mesmo se, desde que, uma vez que, sempre que`),
  mainClauseStarts: phraseSet(`
    eu, quero, queria, posso, pode, podia, poderia, gostaria, gostava, então, por favor, preciso, tenho que, tenho
    de, devo, prefiro, vou, vamos, seria, me liga, me ligue, ligue, ligue-me, me avisa, avise, me diga, diga-me, o
    que, qual, como, quanto, onde, não posso, pago, é melhor, melhor, tudo bem, está bem, a gente, você, vocês, dá
    para, tem como`),
  leadWords: wordSet(`
    sim não bom bem ok tá claro pois e mas oh ah olá oi dia boa tarde noite alô desculpe olhe olha então certo
    obrigado obrigada porque ou eh é que só exato`),
  closings: phraseSet(`
    por favor, se faz favor, obrigado, obrigada, muito obrigado, muito obrigada, se possível, só isso, é só isso,
    mais nada, é tudo, tchau, até logo, se não se importa, se for possível`),
  phrases: {
    determiners: wordSet('o a os as um uma uns umas meu minha nosso nossa seu sua'),
    pronounArticles: wordSet('este esta isso'),
    objectQuestions: wordSet('que quê qual quais quem'),
    conjunctions: wordSet('que porque se'),
    relatives: wordSet('que quem qual'),
    firstPersons: wordSet('eu'),
    degrees: wordSet('muito bastante tão'),
    adjectiveFirst: false,
    stranded: wordSet(''),
    prepositions: wordSet(`
    de do da dos das em no na nos nas com por pelo pela para ao à aos às desde sem sobre até entre num numa`),
    adverbs: wordSet(`
    ontem hoje amanhã anteontem agora normalmente basicamente sempre ultimamente infelizmente depois`),
    softeners: wordSet(`
    também talvez ainda só apenas antes já realmente infelizmente`),
    participleEndings: [],
    adjectives: wordSet(`
    passado passada próximo próxima novo nova velho velha primeiro primeira segundo segunda último última outro
    outra mesmo mesma dois duas três`),
    timeNouns: wordSet(`
    segunda segunda-feira terça terça-feira quarta quarta-feira quinta quinta-feira sexta sexta-feira sábado
    domingo semana mês ano dia manhã tarde noite vez momento semanas meses anos dias horas hora minutos`),
    articles: wordSet('este esta esse essa estes estas'),
    indefinites: wordSet('um uma uns umas'),
    verbEndings: ['ou'],
    nounEndings: [],
    pronominal: wordSet('mesmo não nada tudo aqui aí favor melhor bem mais gente'),
    residenceVerbs: wordSet('moro mora moramos vivo resido'),
    subjectDeterminers: wordSet(''),
    modals: wordSet(''),
    objectModals: wordSet(''),
    wishModals: wordSet(''),
    objectPronouns: wordSet(`
    me te se lhe lhes nos`),
    titles: wordSet('senhor senhora'),
    wishVerbs: wordSet('quero queria preciso procuro prefiro gosto'),
    lightVerbs: wordSet(''),
    helpWords: wordSet('ajudar ajudá-lo ajudá-la aconteceu acontecendo acontecido'),
  },
  spoken: {
    hesitations: phraseSet(`
    bem, bom, pois, então, quer dizer, ou seja, olhe, olha, é que, sabe, na verdade, digamos, tipo, veja, o
    problema é, a questão é, bom então, pronto`),
    pastWords: wordSet('ontem anteontem passado passada'),
    holds: phraseSet(`
    espere, espera, um momento, um minuto, um segundo, um instante, só um momento, só um minuto, momento,
    aguarde, espere aí, espera aí, peraí, um segundinho, um minutinho, um instantinho, momentinho`),
    searches: phraseSet(`
    deixa eu, deixe eu, deixa-me, deixe-me, deixa ver, vou ver, vou verificar, vou olhar, vou procurar, vou buscar,
    vou pegar o cartão, vou pegar o meu, vou pegar meu, vou pegar a minha, vou pegar minha, tenho que ver, tenho de
    ver, preciso ver`),
    retractions: phraseSet(`
    não, desculpe, desculpa, perdão, aliás, quer dizer, na verdade, enganei-me, me enganei, ou melhor, melhor
    dizendo, errado`),
    speakers: wordSet('eu nós'),
    negations: wordSet(`
    não nunca nem jamais ninguém nada`),
    indefinitePersons: wordSet('alguém ninguém'),
    negativeObjects: wordSet('nada'),
    elidedObjects: wordSet(''),
    perfectAuxiliaries: wordSet('tinha tinham'),
    perfectCopulas: wordSet(''),
    firstPersonAuxiliaries: wordSet(''),
    conditionalEndings: ['ria', 'rias', 'ríamos', 'riam'],
    firstPersonEndings: ['ei'],
    quoteVerbs: phraseSet('diz, indica'),
    displayVerbs: phraseSet('aparece, está escrito, vem escrito, consta'),
    speechParticiples: phraseSet(
      'dizendo, perguntando, pedindo, explicando, a dizer, a perguntar, a pedir, a explicar',
    ),
    progressives: wordSet('estou está estamos estão estava estavam'),
    wishes: phraseSet('preferia, preferíamos, preferiria'),
    impersonals: wordSet(`
    aqui aí me isso isto`),
  },
  dictationLeads: {
    topics: {
      phone: phraseSet(`
    número de telefone, telefone, número de telemóvel, telemóvel, celular, número de celular, número, número do
    telefone, contacto, contato, indicativo, ddd`),
      email: phraseSet('e-mail, email, correio eletrónico, endereço de e-mail, endereço de email, mail'),
      spelling: phraseSet('soletrar, soletre, se escreve, escreve-se'),
      birth_date: phraseSet('data de nascimento, aniversário, nasci, nasceu, nascido, nascida'),
      date: phraseSet('data, que dia, qual dia'),
      postcode: phraseSet('código postal, cep'),
      reference: phraseSet(`
    número de cliente, número do cliente, número do pedido, número de pedido, número da encomenda, número da conta,
    número de conta, número de referência, referência, número da reserva, código da reserva, código de reserva,
    localizador, número da fatura, número do contrato, número da apólice, número do cartão, cartão, iban, nif, cpf,
    rg, número de série, código, matrícula, placa, número de utente, número do processo, processo, protocolo, número
    de protocolo, pin, senha, leitura`),
      address: phraseSet('morada, endereço, rua'),
    },
    copulas: wordSet('é o a seria são era termina começa então'),
    leadIns: {
      phone: phraseSet(`
    me ligar no, pode me ligar no, ligar para o, ligue para o, contactar-me pelo, contatar pelo, pelo número, no
    número, para o número, ligar-me para o`),
      email: phraseSet(`
    o meu e-mail, o meu email, meu e-mail, meu email, escrever para, enviar para, mandar para o`),
      spelling: phraseSet(`
    se escreve, escreve-se, vou soletrar, eu soletro, soletrando, soletra-se, soletro`),
    },
    statements: wordSet(`
    não errado errada certo certa correto correta mesmo mesma já ainda sempre no na diferente cheio nunca muito
    também novo nova antigo antiga desconhecido aqui onde esse esta este que está foi hackeado hackeada bloqueado
    bloqueada avariado avariada perdido perdida roubado roubada privado privada`),
    confirmations: wordSet('é são está estão era foi tem têm'),
    months: wordSet(`
    janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro`),
    ordinals: wordSet('primeiro'),
    tens: wordSet('vinte trinta quarenta cinquenta sessenta setenta oitenta noventa'),
    phoneDigits: { least: 9, most: 11, mostOther: 11 },
    postcodeDigits: 7,
    postcodeDigitsLeast: 7,
    postcodeLetters: 0,
  },
};
