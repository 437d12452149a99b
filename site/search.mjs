// The search of the site finds what newcomers ask for: asks the index of the book as its pages do.
//
//     node site/search.mjs target/site/main
import { readFileSync, readdirSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

// What they type, and the page that has to be among the first three results.
const QUESTIONS = [
    ['how do I install plainly', 'guide/install'],
    ['add to Claude Code', 'hosts/claude-code'],
    ['Claude Desktop', 'hosts/claude-desktop'],
    ['vs code mcp.json', 'hosts/vscode'],
    ['cursor does not show the tools', 'hosts/cursor'],
    ['codex config.toml', 'hosts/codex'],
    ['windsurf', 'hosts/index'],
    ['which files are served', 'serve'],
    ['hidden files', 'serve'],
    ['can the model write or delete files', 'serve'],
    ['replace mcp-remote', 'coming-from'],
    ['share a directory with my team', 'team'],
    ['api keys', 'authorization'],
    ['login with Entra', 'providers'],
    ['nginx', 'guide/deploy'],
    ['docker', 'guide/install'],
    ['write my first server in Rust', 'guide/tool'],
    ['write a client', 'guide/first-client'],
    ['ask the user a question', 'guide/asking'],
    ['test my server', 'testing'],
    ['connection refused', 'troubleshooting'],
    ['certificate is not trusted', 'troubleshooting'],
    ['-32602', 'errors'],
    ['how fast is it', 'performance'],
    ['give Claude access to a folder', 'hosts/claude-code'],
    ['serve multiple directories', 'serve'],
    ['read a PDF', 'serve'],
    ['call a tool from a shell', 'client'],
    ['save an image from a tool', 'commands'],
    ['log out', 'logins'],
    ['kubernetes', 'guide/deploy'],
    ['return an error from a tool', 'guide/errors'],
    ['uninstall', 'sessions'],
    ['which protocol versions are supported', 'revisions'],
    ['security', 'advisories'],
];
const RESULTS = 3;

const book = process.argv[2];
const context = { search: {} };
context.window = context;
for (const start of ['elasticlunr-', 'searchindex-']) {
    const name = readdirSync(book).find((it) => it.startsWith(start));
    runInNewContext(readFileSync(`${book}/${name}`, 'utf8'), context);
}
const { index, search_options: options, doc_urls: urls } = context.search;
const loaded = context.elasticlunr.Index.load(index);

const failed = QUESTIONS.flatMap(([question, wanted]) => {
    const found = loaded.search(question, options).slice(0, RESULTS).map(({ ref }) => urls[ref]);
    return found.some((url) => url.startsWith(`${wanted}.html`)) ? [] : [`${question}: ${wanted} is not among ${found.join(', ')}`];
});
if (failed.length > 0) {
    console.error(`error: the search does not find:\n${failed.join('\n')}`);
    process.exit(1);
}
console.log(`the search answers ${QUESTIONS.length} questions`);
