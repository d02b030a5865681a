// Finding by words in small judged collections of many kinds: languages with and without spaces, short and long documents, names of letters and digits, questions of a few words.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { BaseIndex } from '../../../actors/library/base-index.ts';
import { ndcgAt10 } from '../../../bench/collection.ts';
import { type Block, passagesOf } from '../../../text/passages.ts';

type Documents = Readonly<Record<string, string>>;
/** A question, and the document that answers it. */
type Judged = readonly (readonly [question: string, document: string])[];

async function indexOf(documents: Readonly<Record<string, readonly Block[]>>): Promise<BaseIndex> {
  const index = new BaseIndex();
  for (const [name, blocks] of Object.entries(documents)) {
    const passages = passagesOf(blocks).map(({ text, chapter = '', page = 0 }, ordinal) => ({ reference_id: name, ordinal, text, chapter, page }));
    await index.add(name, name, '', passages);
  }
  return index;
}

const plain = (documents: Documents) => indexOf(Object.fromEntries(Object.entries(documents).map(([name, text]) => [name, [{ text, isHeading: false }]])));
const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

async function qualityOf(index: BaseIndex, judged: Judged): Promise<number> {
  const each = judged.map(async ([question, document]) =>
    ndcgAt10([...new Set((await index.search(question, 50)).map(({ reference }) => reference))], new Set([document])),
  );
  return mean(await Promise.all(each));
}

const ENGLISH: Documents = {
  tls: 'TLS 1.2 is specified in RFC 5246. It obsoletes RFC4346, which specified TLS 1.1.',
  tls13: 'RFC8446 specifies TLS 1.3. It removes static RSA and all modes of CBC.',
  kerberos: 'Kerberos V5 is specified in RFC 4120. Tickets are sealed with AES256.',
  advisory: 'CVE-2024-4367 lets a font of a PDF run code in the viewer. Version 4.2.67 mends it.',
  heartbleed: 'CVE-2014-0160 reads the memory of a server. OpenSSL 1.0.1g mends it.',
  error: 'The error ERR_CONN_2041 means that the peer has closed the connection before the handshake.',
  part: 'The bearing 6204-2RS has a bore of 20 mm and fits the shaft of the pump X200.',
  pump: 'The pump X300 takes the bearing 6306. Its bore is 30mm.',
  order: 'Invoice 2023-00417 was paid on 3 May. The order 88121 is open.',
};
const ENGLISH_JUDGED: Judged = [
  ['RFC 5246', 'tls'],
  ['rfc5246', 'tls'],
  ['RFC 4346', 'tls'],
  ['Which document specifies TLS 1.3?', 'tls13'],
  ['rfc 8446 cbc', 'tls13'],
  ['RFC4120', 'kerberos'],
  ['AES 256 tickets', 'kerberos'],
  ['CVE-2024-4367', 'advisory'],
  ['cve 2014 0160', 'heartbleed'],
  ['What does err_conn_2041 mean?', 'error'],
  ['6204 bearing', 'part'],
  ['X 200 shaft', 'part'],
  ['bore 30 mm', 'pump'],
  ['order 88121', 'order'],
];

test('names of letters and digits are found as they are written, together or apart', async () => {
  assert.equal(await qualityOf(await plain(ENGLISH), ENGLISH_JUDGED), 1);
});

const JAPANESE: Documents = {
  library: '市立図書館は月曜日に休館します。平日は午前九時から午後八時まで開いています。',
  station: '東京駅から空港までは電車で五十分かかります。切符は駅の窓口で買えます。',
  cat: '黒猫は日本では幸運のしるしとされることがあります。',
  festival: '夏祭りは八月の第一土曜日に川のそばで行われ、花火が打ち上げられます。',
  tls: 'RFC 5246はTLS 1.2を定めています。暗号スイートの一覧は付録にあります。',
  apple: '青森県はりんごの生産量が全国で最も多い県です。',
  computer: 'コンピューターのパスワードは三か月ごとに変更してください。',
};
const JAPANESE_JUDGED: Judged = [
  ['図書館はいつ開いていますか', 'library'],
  ['休館日', 'library'],
  ['空港へ行く電車', 'station'],
  ['猫', 'cat'],
  ['花火大会はどこで', 'festival'],
  ['TLS 1.2', 'tls'],
  ['rfc5246', 'tls'],
  ['リンゴの産地', 'apple'],
  ['りんご', 'apple'],
  ['パスワード変更', 'computer'],
];
const CHINESE: Documents = {
  museum: '故宫博物院每周一闭馆，门票需要提前预约。',
  rail: '高速铁路从北京到上海大约需要四个半小时。',
  tea: '龙井茶产于杭州西湖一带，是著名的绿茶。',
  refund: '顾客可以在收到商品后七天内申请退款，运费由买家承担。',
  password: '密码长度不得少于十二个字符，每九十天更换一次。',
};
const CHINESE_JUDGED: Judged = [
  ['故宫什么时候闭馆', 'museum'],
  ['北京上海火车', 'rail'],
  ['绿茶', 'tea'],
  ['茶', 'tea'],
  ['怎么退款', 'refund'],
  ['更换密码', 'password'],
];
const KOREAN: Documents = {
  museum: '국립박물관은 월요일에 쉽니다. 입장료는 무료입니다.',
  seoul: '서울에서 부산까지 고속열차로 두 시간 반이 걸립니다.',
  kimchi: '김치를 담글 때에는 배추를 소금에 절입니다.',
  password: '비밀번호를 석 달마다 바꾸어야 합니다.',
};
const KOREAN_JUDGED: Judged = [
  ['박물관', 'museum'],
  ['서울 부산 열차', 'seoul'],
  ['배추 김치', 'kimchi'],
  ['비밀번호', 'password'],
];
const THAI: Documents = {
  museum: 'พิพิธภัณฑ์เปิดทุกวันยกเว้นวันจันทร์',
  train: 'รถไฟจากกรุงเทพไปเชียงใหม่ใช้เวลาสิบสองชั่วโมง',
  cat: 'แมวชอบนอนกลางวันและกินปลา',
};
const THAI_JUDGED: Judged = [
  ['พิพิธภัณฑ์ปิดวันไหน', 'museum'],
  ['รถไฟไปเชียงใหม่', 'train'],
  ['แมว', 'cat'],
];
const HINDI: Documents = {
  book: 'यह किताब पुस्तकालय की है और मेज़ पर रखी है।',
  water: 'नदी का पानी पहाड़ से आता है।',
  dog: 'कुत्ता घर के बाहर सोता है।',
  day: 'दिन में दुकान खुली रहती है।',
  poor: 'दीन आदमी को दान मिला।',
};
const HINDI_JUDGED: Judged = [
  ['किताब कहाँ है', 'book'],
  ['नदी का पानी', 'water'],
  ['कुत्ता', 'dog'],
  ['दिन', 'day'],
  ['दीन', 'poor'],
];
const FRENCH: Documents = {
  museum: 'Le musée est fermé le mardi. L’entrée est gratuite le premier dimanche du mois.',
  train: 'Les trains pour Lyon partent de la gare toutes les trente minutes.',
  garden: 'Le jardin botanique possède huit cents espèces de roses.',
  coffee: 'Le café se boit après le dîner, jamais avec du lait.',
};
const FRENCH_JUDGED: Judged = [
  ['Quand le musee est-il ferme ?', 'museum'],
  ['train LYON', 'train'],
  ['combien d’espèces de rose', 'garden'],
  ['cafe lait', 'coffee'],
];
const RUSSIAN: Documents = {
  museum: 'Музей закрыт по понедельникам.',
  tree: 'Ёлка стоит на площади до середины января.',
  train: 'Поезд до Казани отправляется в девять часов.',
};
const RUSSIAN_JUDGED: Judged = [
  ['музей', 'museum'],
  ['елка', 'tree'],
  ['поезд в Казань часов', 'train'],
];

for (const [language, documents, judged] of [
  ['Japanese', JAPANESE, JAPANESE_JUDGED],
  ['Chinese', CHINESE, CHINESE_JUDGED],
  ['Korean', KOREAN, KOREAN_JUDGED],
  ['Thai', THAI, THAI_JUDGED],
  ['Hindi', HINDI, HINDI_JUDGED],
  ['French', FRENCH, FRENCH_JUDGED],
  ['Russian', RUSSIAN, RUSSIAN_JUDGED],
] as const)
  test(`questions in ${language} find what answers them`, async () => {
    const index = await plain(documents);
    const missed: string[] = [];
    for (const [question, document] of judged) if ((await index.search(question, 10))[0]?.reference !== document) missed.push(question);
    assert.deepEqual(missed, []);
  });

/** A text of many sentences about nothing in particular. */
const filler = (count: number, of: string) => Array.from({ length: count }, (_, at) => `${of} ${at}.`).join(' ');

test('in a long document the chapter is found that a question is about, also by its heading alone', async () => {
  const chapters = ['Installation', 'Backups', 'Certificates', 'Audit', 'Licences'];
  const blocks = chapters.flatMap((chapter) => [
    { text: chapter, isHeading: true },
    { text: `${filler(80, 'The following applies to every server of the house, whatever it is for, in case')} `, isHeading: false },
    { text: chapter === 'Certificates' ? 'A new one is asked for thirty days before the old one ends.' : 'See the annex.', isHeading: false },
  ]);
  const index = await indexOf({ manual: blocks, other: [{ text: filler(40, 'Thirty servers are old, and days are long, in case'), isHeading: false }] });
  const all = passagesOf(blocks);
  const chapterOf = async (question: string) => all[(await index.search(question, 1))[0]?.ordinal ?? -1]?.chapter;
  assert.equal(await chapterOf('When is a new certificate asked for?'), 'Certificates');
  for (const chapter of chapters) assert.equal(await chapterOf(chapter.toLowerCase()), chapter);
});

test('a short document is not lost among long ones that have the words of a question by chance', async () => {
  const long = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, filler(30, 'The gate of the garden is old, and so is the cellar, case')]));
  const index = await plain({ ...long, short: 'The garden gate key hangs in the kitchen.' });
  assert.equal((await index.search('Where is the key of the garden gate?', 1))[0]?.reference, 'short');
});

test('passages of texts without spaces are as long as others: a chapter is not one of them', () => {
  const sentence = '市立図書館は月曜日に休館し、平日は午前九時から午後八時まで開いています。';
  const passages = passagesOf([{ text: sentence.repeat(60), isHeading: false }]);
  assert.ok(passages.length >= 6, `${passages.length} passages`);
  const endless = passagesOf([{ text: '図'.repeat(3_000), isHeading: false }]);
  assert.ok(endless.every(({ text }) => text.length <= 400));
});

test.run();
