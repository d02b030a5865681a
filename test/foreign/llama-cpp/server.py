# Starts the server of llama.cpp with a tiny model that nobody trained, made here: server.py MODEL KEY. Prints its address; ends when standard input ends.
import sys

import gguf
import numpy
import xllamacpp

WORDS = "the a king queen lamp light harbour storm bell town watchman treasure secret kept burns rang is was of in . ?".split()
WIDTH, INNER, HEADS, LAYERS, CONTEXT = 32, 64, 4, 2, 2048
TEMPLATE = "{% for m in messages %}<s>{{ m['role'] }}: {{ m['content'] }}</s>{% endfor %}{% if add_generation_prompt %}<s>assistant:{% endif %}"


def vocabulary():
    kinds = gguf.TokenType
    special = [("<unk>", 0.0, kinds.UNKNOWN), ("<s>", 0.0, kinds.CONTROL), ("</s>", 0.0, kinds.CONTROL)]
    single = [(f"<0x{byte:02X}>", 0.0, kinds.BYTE) for byte in range(256)]
    return special + single + [("\u2581" + word, -float(rank), kinds.NORMAL) for rank, word in enumerate(WORDS)]


def write_model(path):
    tokens = vocabulary()
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _, _ in tokens])
    writer.add_token_scores([score for _, score, _ in tokens])
    writer.add_token_types([kind for _, _, kind in tokens])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(True)
    writer.add_chat_template(TEMPLATE)
    numbers = numpy.random.default_rng(7)

    def matrix(name, rows, columns):
        writer.add_tensor(name, numbers.normal(0, 1 / columns**0.5, (rows, columns)).astype(numpy.float32))

    def ones(name):
        writer.add_tensor(name, numpy.ones(WIDTH, dtype=numpy.float32))

    matrix("token_embd.weight", len(tokens), WIDTH)
    output = numbers.normal(0, 1, (len(tokens), WIDTH)).astype(numpy.float32)
    # It writes words: single bytes would be no text.
    output[: len(tokens) - len(WORDS)] = 0
    writer.add_tensor("output.weight", output)
    ones("output_norm.weight")
    for layer in range(LAYERS):
        ones(f"blk.{layer}.attn_norm.weight")
        ones(f"blk.{layer}.ffn_norm.weight")
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            matrix(f"blk.{layer}.{part}.weight", WIDTH, WIDTH)
        matrix(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        matrix(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        matrix(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main(path, key, kind):
    write_model(path)
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.n_ctx = 4 * CONTEXT
    params.n_parallel = 4
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.ui = False
    params.endpoint_slots = True
    if kind == "embedding":
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    print(f"listening at {server.listening_address}", flush=True)
    sys.stdin.read()


main(*sys.argv[1:])
