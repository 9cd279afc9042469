/* The kernels of dispatch.py and arrays.py, compiled: the same meaning, the same results.
 *
 * They are the only callers: they hand over contiguous arrays of the right type, and arrays to write
 * into. What is looked up by a number out of a file is compared with the length of what it points
 * into, so that a damaged file ends in an IndexError and never beyond an array.
 *
 * The loops are plain C that compilers vectorise, on x86 for three kinds of processors: the one at
 * hand is looked at when the module is loaded. Others (NEON) have one kind.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
/* Into the second cache: the first waits for far fewer lines at a time than a vector has. */
#define PREFETCH(address) __builtin_prefetch(address, 0, 2)
#define INLINE static inline __attribute__((always_inline))
#else
#define PREFETCH(address)
#define INLINE static inline
#endif

/* DISPATCH(name, (type one, ...), (one, ...)) compiles name_body for several processors, and makes a
 * function `name` that calls the version for the one at hand. */
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#include <immintrin.h>
static int level; /* 2: AVX-512; 1: AVX2; 0: neither. */
static int has_bytes; /* Products of bytes (VNNI), beside AVX-512. */
#define WIDE "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma"
#define BYTES "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma"
#define FOR(features) __attribute__((target(features)))
#define VERSION(name, suffix, features, parameters, arguments) \
    __attribute__((target(features))) static void name##suffix parameters { name##_body arguments; }
#define DISPATCH(name, parameters, arguments)                                            \
    VERSION(name, _2, WIDE, parameters, arguments)                                       \
    VERSION(name, _1, "avx2,fma", parameters, arguments)                                 \
    static void name parameters                                                          \
    {                                                                                    \
        if (level == 2)                                                                  \
            name##_2 arguments;                                                          \
        else if (level == 1)                                                             \
            name##_1 arguments;                                                          \
        else                                                                             \
            name##_body arguments;                                                       \
    }
static void look_at_processor(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        level = 2;
    else
        level = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    has_bytes = level == 2 && __builtin_cpu_supports("avx512vnni");
}
#else
#define DISPATCH(name, parameters, arguments) \
    static void name parameters { name##_body arguments; }
static void look_at_processor(void) {}
#endif

/* Raised with that of loops.py, which takes no module that was compiled of an older source. */
enum { REVISION = 18 };
enum { AHEAD = 6, BLOCK = 1 << 17, BATCH = 512 };

/* Arguments ------------------------------------------------------------------------------- */

typedef struct {
    void *data;
    Py_ssize_t length; /* In items. */
    Py_buffer view;
} Array;

/* Take n arrays out of a tuple; items: the size of an item of each. */
static int take(PyObject *arguments, Array *arrays, const int *items, int n, int written)
{
    for (int i = 0; i < n; i++) {
        int flags = i >= written ? PyBUF_WRITABLE : PyBUF_SIMPLE;
        PyObject *given = PyTuple_GetItem(arguments, i);
        if (!given || PyObject_GetBuffer(given, &arrays[i].view, flags) < 0) {
            while (i--)
                PyBuffer_Release(&arrays[i].view);
            return 0;
        }
        arrays[i].data = arrays[i].view.buf;
        arrays[i].length = arrays[i].view.len / items[i];
    }
    return 1;
}

static void drop(Array *arrays, int n)
{
    for (int i = 0; i < n; i++)
        PyBuffer_Release(&arrays[i].view);
}

static PyObject *outcome(Array *arrays, int n, const char *wrong, int memory)
{
    drop(arrays, n);
    if (memory)
        return PyErr_NoMemory();
    if (wrong) {
        PyErr_SetString(PyExc_IndexError, wrong);
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Numbers and where they were: sorted by one byte after the other. */
typedef struct {
    uint32_t *keys, *places, *other_keys, *other_places;
} Sorting;

static int begin_sorting(Sorting *sorting, Py_ssize_t m, const int32_t *keys)
{
    uint32_t *room = malloc((m ? m : 1) * 4 * sizeof(uint32_t));
    *sorting = (Sorting){room, room + m, room + 2 * m, room + 3 * m};
    for (Py_ssize_t i = 0; room && i < m; i++) {
        sorting->keys[i] = (uint32_t)keys[i];
        sorting->places[i] = (uint32_t)i;
    }
    return room != NULL;
}

static void end_sorting(Sorting *sorting)
{
    uint32_t *room = sorting->keys < sorting->other_keys ? sorting->keys : sorting->other_keys;
    free(room);
}

/* Sort m keys, which ascend then, and their places; equal ones stay in order. */
static void sort_keys(Sorting *sorting, Py_ssize_t m)
{
    for (int shift = 0; shift < 32; shift += 8) {
        Py_ssize_t starts[257] = {0};
        for (Py_ssize_t i = 0; i < m; i++)
            starts[(sorting->keys[i] >> shift & 255) + 1]++;
        if (m && starts[(sorting->keys[0] >> shift & 255) + 1] == m)
            continue; /* All have the same byte. */
        for (int byte = 0; byte < 256; byte++)
            starts[byte + 1] += starts[byte];
        for (Py_ssize_t i = 0; i < m; i++) {
            Py_ssize_t to = starts[sorting->keys[i] >> shift & 255]++;
            sorting->other_keys[to] = sorting->keys[i];
            sorting->other_places[to] = sorting->places[i];
        }
        *sorting = (Sorting){sorting->other_keys, sorting->other_places, sorting->keys,
                             sorting->places};
    }
}

/* Vectors --------------------------------------------------------------------------------- */

/* Multiply one vector with q queries; the products lie m apart. */
INLINE void multiply_one(const float *vector, Py_ssize_t d, const float *queries, Py_ssize_t q,
                         Py_ssize_t m, float *out)
{
    Py_ssize_t at = 0;
    for (; at + 4 <= q; at += 4) {
        const float *one = queries + at * d, *two = one + d, *three = two + d, *four = three + d;
        float s1 = 0, s2 = 0, s3 = 0, s4 = 0;
#pragma omp simd reduction(+ : s1, s2, s3, s4)
        for (Py_ssize_t j = 0; j < d; j++) {
            s1 += vector[j] * one[j];
            s2 += vector[j] * two[j];
            s3 += vector[j] * three[j];
            s4 += vector[j] * four[j];
        }
        out[at * m] = s1;
        out[(at + 1) * m] = s2;
        out[(at + 2) * m] = s3;
        out[(at + 3) * m] = s4;
    }
    for (; at < q; at++) {
        const float *query = queries + at * d;
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (Py_ssize_t j = 0; j < d; j++)
            sum += vector[j] * query[j];
        out[at * m] = sum;
    }
}

INLINE void prefetch(const void *from, Py_ssize_t bytes)
{
    for (Py_ssize_t at = 0; at < bytes; at += 64)
        PREFETCH((const char *)from + at);
}

INLINE void multiply_rows_body(const float *vectors, Py_ssize_t d, const int32_t *rows, Py_ssize_t m,
                               const float *queries, Py_ssize_t q, float *out)
{
    for (Py_ssize_t i = 0; i < m; i++) {
        if (i + AHEAD < m)
            prefetch(vectors + (Py_ssize_t)rows[i + AHEAD] * d, d * 4);
        multiply_one(vectors + (Py_ssize_t)rows[i] * d, d, queries, q, m, out + i);
    }
}
DISPATCH(multiply_rows,
         (const float *vectors, Py_ssize_t d, const int32_t *rows, Py_ssize_t m,
          const float *queries, Py_ssize_t q, float *out),
         (vectors, d, rows, m, queries, q, out))

/* dots(vectors, rows, queries, [d], out) */
static PyObject *dots(PyObject *module, PyObject *arguments)
{
    Array a[5];
    const int items[] = {4, 4, 4, 8, 4};
    if (!take(arguments, a, items, 5, 4))
        return NULL;
    Py_ssize_t d = (Py_ssize_t)((const int64_t *)a[3].data)[0];
    Py_ssize_t n = d ? a[0].length / d : 0, q = d ? a[2].length / d : 0, m = a[1].length;
    const int32_t *rows = a[1].data;
    const char *wrong = m * q > a[4].length ? "no room for the products" : NULL;
    for (Py_ssize_t i = 0; i < m; i++)
        if (rows[i] < 0 || rows[i] >= n)
            wrong = "a row outside the vectors";
    if (!wrong) {
        Py_BEGIN_ALLOW_THREADS
        multiply_rows(a[0].data, d, rows, m, a[2].data, q, a[4].data);
        Py_END_ALLOW_THREADS
    }
    return outcome(a, 5, wrong, 0);
}

/* Vectors in 24 bits: 8 of them in one array, 16 in another, and what both are multiplied with. */
typedef struct {
    const int8_t *codes;
    const int16_t *rests;
    const float *scales; /* Of the codes. */
    Py_ssize_t d;
} Split;

INLINE void join_one(const Split *split, Py_ssize_t place, float *restrict vector)
{
    const int8_t *code = split->codes + place * split->d;
    const int16_t *rest = split->rests + place * split->d;
    float step = split->scales[place] / 65536;
    for (Py_ssize_t j = 0; j < split->d; j++)
        vector[j] = (float)((int32_t)code[j] * 65536 + rest[j]) * step;
}

INLINE void look_ahead(const Split *split, const int32_t *places, Py_ssize_t i, Py_ssize_t m)
{
    if (i + AHEAD < m) {
        Py_ssize_t place = places[i + AHEAD];
        prefetch(split->codes + place * split->d, split->d);
        prefetch(split->rests + place * split->d, split->d * 2);
        PREFETCH(split->scales + place);
    }
}

/* What is multiplied: the places in ascending order, the number of each among m, and q queries. */
typedef struct {
    const int32_t *places;
    const uint32_t *numbers;
    Py_ssize_t m;
    const float *queries;
    Py_ssize_t q;
} Wanted;

/* vector: room for one. */
INLINE void multiply_split_body(const Split *split, const Wanted *wanted, float *vector, float *out)
{
    for (Py_ssize_t i = 0; i < wanted->m; i++) {
        look_ahead(split, wanted->places, i, wanted->m);
        join_one(split, wanted->places[i], vector);
        multiply_one(vector, split->d, wanted->queries, wanted->q, wanted->m,
                     out + wanted->numbers[i]);
    }
}
DISPATCH(multiply_split, (const Split *split, const Wanted *wanted, float *vector, float *out),
         (split, wanted, vector, out))

/* Take codes, rests, scales and places, the first of some arrays; say what does not fit. */
static const char *take_split(const Array *a, int64_t d, Split *split)
{
    *split = (Split){a[0].data, a[1].data, a[2].data, (Py_ssize_t)d};
    Py_ssize_t n = d ? a[0].length / d : 0;
    if (a[1].length < n * d || a[2].length < n)
        return "parts of vectors that do not fit each other";
    for (Py_ssize_t i = 0; i < a[3].length; i++)
        if (((const int32_t *)a[3].data)[i] < 0 || ((const int32_t *)a[3].data)[i] >= n)
            return "a row outside the vectors";
    return NULL;
}

/* Multiply some places with queries; 0: no memory. */
static int multiply_places(const Split *split, const int32_t *places, Py_ssize_t m,
                           const float *queries, Py_ssize_t q, float *vector, float *out)
{
    Sorting sorting;
    if (!begin_sorting(&sorting, m, places))
        return 0;
    sort_keys(&sorting, m); /* What lies near each other is quicker to fetch. */
    Wanted wanted = {(const int32_t *)sorting.keys, sorting.places, m, queries, q};
    multiply_split(split, &wanted, vector, out);
    end_sorting(&sorting);
    return 1;
}

/* split_dots(codes, rests, scales, places, queries, [d], out) */
static PyObject *split_dots(PyObject *module, PyObject *arguments)
{
    Array a[7];
    const int items[] = {1, 2, 4, 4, 4, 8, 4};
    if (!take(arguments, a, items, 7, 6))
        return NULL;
    Split split;
    const char *wrong = take_split(a, ((const int64_t *)a[5].data)[0], &split);
    Py_ssize_t d = split.d, q = d ? a[4].length / d : 0, m = a[3].length;
    if (m * q > a[6].length)
        wrong = "no room for the products";
    float *vector = calloc(d + 1, sizeof(float));
    int there = vector != NULL;
    if (!wrong && there) {
        Py_BEGIN_ALLOW_THREADS
        there = multiply_places(&split, a[3].data, m, a[4].data, q, vector, a[6].data);
        Py_END_ALLOW_THREADS
    }
    free(vector);
    return outcome(a, 7, wrong, !there);
}

INLINE void scan_rows_body(const int8_t *codes, Py_ssize_t d, Py_ssize_t begin, Py_ssize_t end,
                           const int16_t *queries, Py_ssize_t q, Py_ssize_t m, int32_t *out)
{
    for (Py_ssize_t row = begin; row < end; row++, out++) {
        const int8_t *code = codes + row * d;
        Py_ssize_t at = 0;
        for (; at + 4 <= q; at += 4) {
            const int16_t *one = queries + at * d, *two = one + d, *three = two + d,
                          *four = three + d;
            int32_t s1 = 0, s2 = 0, s3 = 0, s4 = 0;
            for (Py_ssize_t j = 0; j < d; j++) {
                int16_t value = code[j];
                s1 += value * one[j];
                s2 += value * two[j];
                s3 += value * three[j];
                s4 += value * four[j];
            }
            out[at * m] = s1;
            out[(at + 1) * m] = s2;
            out[(at + 2) * m] = s3;
            out[(at + 3) * m] = s4;
        }
        for (; at < q; at++) {
            const int16_t *query = queries + at * d;
            int32_t sum = 0;
            for (Py_ssize_t j = 0; j < d; j++)
                sum += (int16_t)code[j] * query[j];
            out[at * m] = sum;
        }
    }
}

DISPATCH(scan_rows,
         (const int8_t *codes, Py_ssize_t d, Py_ssize_t begin, Py_ssize_t end,
          const int16_t *queries, Py_ssize_t q, Py_ssize_t m, int32_t *out),
         (codes, d, begin, end, queries, q, m, out))

/* The same for a d that WHOLE divides, the last query being ones and all others moved by OFFSET into
 * 0 ... 255: what AVX-512 multiplies with bytes in one instruction. */
enum { OFFSET = 128, WHOLE = 64 };

INLINE void scan_bytes_body(const int8_t *codes, Py_ssize_t d, Py_ssize_t begin, Py_ssize_t end,
                            const uint8_t *queries, Py_ssize_t q, Py_ssize_t m, int32_t *out)
{
    d &= ~(Py_ssize_t)(WHOLE - 1); /* As it is: a compiler that knows makes no code for a rest. */
    for (Py_ssize_t row = begin; row < end; row++, out++) {
        const int8_t *code = codes + row * d;
        const uint8_t *ones = queries + q * d;
        int32_t moved = 0;
        for (Py_ssize_t j = 0; j < d; j++)
            moved += ones[j] * code[j];
        moved *= OFFSET;
        Py_ssize_t at = 0;
        for (; at + 4 <= q; at += 4) {
            const uint8_t *one = queries + at * d, *two = one + d, *three = two + d,
                          *four = three + d;
            int32_t s1 = 0, s2 = 0, s3 = 0, s4 = 0;
            for (Py_ssize_t j = 0; j < d; j++) {
                s1 += one[j] * code[j];
                s2 += two[j] * code[j];
                s3 += three[j] * code[j];
                s4 += four[j] * code[j];
            }
            out[at * m] = s1 - moved;
            out[(at + 1) * m] = s2 - moved;
            out[(at + 2) * m] = s3 - moved;
            out[(at + 3) * m] = s4 - moved;
        }
        for (; at < q; at++) {
            const uint8_t *query = queries + at * d;
            int32_t sum = 0;
            for (Py_ssize_t j = 0; j < d; j++)
                sum += query[j] * code[j];
            out[at * m] = sum - moved;
        }
    }
}

#ifdef BYTES
VERSION(scan_bytes, , BYTES,
        (const int8_t *codes, Py_ssize_t d, Py_ssize_t begin, Py_ssize_t end,
         const uint8_t *queries, Py_ssize_t q, Py_ssize_t m, int32_t *out),
        (codes, d, begin, end, queries, q, m, out))
#endif

typedef struct {
    const int16_t *wide;
    uint8_t *bytes; /* As scan_bytes takes them; NULL where the processor does not multiply them. */
    Py_ssize_t q;
} Queries;

/* Move queries into bytes where that is of use; 0: no memory. */
static int prepare(Queries *queries, const int16_t *wide, Py_ssize_t q, Py_ssize_t d)
{
    *queries = (Queries){wide, NULL, q};
#ifdef BYTES
    if (!has_bytes || d % WHOLE)
        return 1;
    queries->bytes = malloc((q + 1) * d + 1);
    for (Py_ssize_t i = 0; queries->bytes && i < (q + 1) * d; i++)
        queries->bytes[i] = i < q * d ? (uint8_t)(wide[i] + OFFSET) : 1;
    return queries->bytes != NULL;
#else
    return 1;
#endif
}

static void scan_any(const int8_t *codes, Py_ssize_t d, Py_ssize_t begin, Py_ssize_t end,
                     const Queries *queries, Py_ssize_t m, int32_t *out)
{
#ifdef BYTES
    if (queries->bytes) {
        scan_bytes(codes, d, begin, end, queries->bytes, queries->q, m, out);
        return;
    }
#endif
    scan_rows(codes, d, begin, end, queries->wide, queries->q, m, out);
}

/* scan(codes, begins, ends, queries as int16, [d], out) */
static PyObject *scan(PyObject *module, PyObject *arguments)
{
    Array a[6];
    const int items[] = {1, 8, 8, 2, 8, 4};
    if (!take(arguments, a, items, 6, 5))
        return NULL;
    Py_ssize_t d = (Py_ssize_t)((const int64_t *)a[4].data)[0];
    Py_ssize_t n = d ? a[0].length / d : 0, q = d ? a[3].length / d : 0, m = 0;
    const int64_t *begins = a[1].data, *ends = a[2].data;
    const char *wrong = a[1].length == a[2].length ? NULL : "begins and ends of another number";
    for (Py_ssize_t i = 0; !wrong && i < a[1].length; i++) {
        if (begins[i] < 0 || ends[i] < begins[i] || ends[i] > n)
            wrong = "a range outside the codes";
        else
            m += ends[i] - begins[i];
    }
    if (!wrong && m * q != a[5].length)
        wrong = "no room for the products";
    Queries queries;
    int memory = !prepare(&queries, a[3].data, q, d);
    if (!wrong && !memory) {
        Py_BEGIN_ALLOW_THREADS
        int32_t *out = a[5].data;
        for (Py_ssize_t i = 0; i < a[1].length; i++) {
            scan_any(a[0].data, d, begins[i], ends[i], &queries, m, out);
            out += ends[i] - begins[i];
        }
        Py_END_ALLOW_THREADS
    }
    free(queries.bytes);
    return outcome(a, 6, wrong, memory);
}

/* The best ones ---------------------------------------------------------------------------- */

/* A score and a row in one number, which is the higher the better: the score first, then the lower
 * row. To compare such numbers takes no branch, which processors would often foretell wrongly. */
typedef uint64_t Hit;

/* Number floats so that they ascend as the numbers do; both zeros are one. */
INLINE uint32_t ascending(float value)
{
    uint32_t bits;
    value = value == 0 ? 0 : value;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

INLINE Hit hit_of(float score, int32_t row)
{
    return (uint64_t)ascending(score) << 32 | (uint32_t)~row;
}

INLINE float score_of(Hit hit)
{
    uint32_t bits = (uint32_t)(hit >> 32);
    float score;
    bits = bits >> 31 ? bits & 0x7fffffffu : ~bits;
    memcpy(&score, &bits, sizeof score);
    return score;
}

INLINE int32_t row_of(Hit hit)
{
    return (int32_t)~(uint32_t)hit;
}

static void sift_down(Hit *heap, Py_ssize_t n, Py_ssize_t at)
{
    Hit moved = heap[at];
    for (Py_ssize_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && heap[child + 1] < heap[child];
        if (heap[child] >= moved)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* Keep the k best: the worst is on top. Return their number. */
INLINE Py_ssize_t keep(Hit *heap, Py_ssize_t held, Py_ssize_t k, Hit hit)
{
    if (held < k) {
        heap[held++] = hit;
        if (held == k)
            for (Py_ssize_t at = k / 2; at--;)
                sift_down(heap, k, at);
    } else if (heap[0] < hit) {
        heap[0] = hit;
        sift_down(heap, k, 0);
    }
    return held;
}

/* Sort hits, the best first. */
static void sort_hits(Hit *hits, Py_ssize_t n)
{
    for (Py_ssize_t at = n / 2; at--;)
        sift_down(hits, n, at);
    for (Py_ssize_t last = n; last-- > 1;) {
        Hit worst = hits[0];
        hits[0] = hits[last];
        hits[last] = worst;
        sift_down(hits, last, 0);
    }
}

/* Move the k highest of n distinct hits to the front, k from 1 to n; return the lowest of these. */
static Hit select_hits(Hit *hits, Py_ssize_t n, Py_ssize_t k)
{
    for (Py_ssize_t begin = 0, end = n;;) {
        Py_ssize_t middle = begin + (end - begin) / 2, above = begin;
        Hit pivot = hits[middle];
        hits[middle] = hits[end - 1];
        for (Py_ssize_t i = begin; i < end - 1; i++) { /* Without a branch: half of them pass. */
            Hit hit = hits[i];
            hits[i] = hits[above];
            hits[above] = hit;
            above += hit > pivot;
        }
        hits[end - 1] = hits[above];
        hits[above] = pivot;
        if (above == k - 1)
            return pivot;
        if (above >= k)
            end = above;
        else
            begin = above + 1;
    }
}

/* What a search for the nearest places goes through, and what it keeps of them. */
typedef struct {
    const int8_t *codes;
    const float *scales;
    const int32_t *rows;    /* The paper at each place; NULL: they lie by row. */
    const uint8_t *allowed; /* By row; NULL: all. */
    Py_ssize_t d, n, papers;
    Queries queries;
    const float *steps; /* What the products with each query are multiplied with. */
    Hit *hits;          /* `room` of each query: the best, and what has come since these were told. */
    int64_t *found;     /* How many of them. */
    float *least;       /* What a product with each query must be above to be among the best. */
    Py_ssize_t k, room;
} Search;

/* Put a hit of a query to the others; when there is no room left, the k best remain. */
static void put_hit(const Search *search, Py_ssize_t at, Hit hit)
{
    Hit *hits = search->hits + at * search->room;
    hits[search->found[at]++] = hit;
    if (search->found[at] == search->room) {
        search->least[at] = score_of(select_hits(hits, search->room, search->k));
        search->found[at] = search->k;
    }
}

/* Is a place allowed? -1: there is no such paper. */
INLINE int is_open(const Search *search, int64_t place)
{
    if (!search->allowed)
        return 1;
    int64_t row = search->rows ? search->rows[place] : place;
    return row < 0 || row >= search->papers ? -1 : search->allowed[row];
}

/* Search some places in batches; tell whether all of their papers are there. */
static int search_range(const Search *search, int64_t begin, int64_t end, int32_t *sums)
{
    for (; begin < end; begin += BATCH) {
        Py_ssize_t m = end - begin < BATCH ? (Py_ssize_t)(end - begin) : BATCH;
        int8_t open[BATCH];
        for (Py_ssize_t j = 0; j < m; j++)
            if ((open[j] = (int8_t)is_open(search, begin + j)) < 0)
                return 0;
        scan_any(search->codes, search->d, begin, begin + m, &search->queries, BATCH, sums);
        for (Py_ssize_t at = 0; at < search->queries.q; at++) {
            float near[BATCH];
            for (Py_ssize_t j = 0; j < m; j++)
                near[j] =
                    (float)sums[at * BATCH + j] * search->scales[begin + j] * search->steps[at];
            for (Py_ssize_t j = 0; j < m; j++)
                if (near[j] > search->least[at] && open[j])
                    put_hit(search, at, hit_of(near[j], (int32_t)(begin + j)));
        }
    }
    return 1;
}

/* Search all ranges; *memory: whether there was none. */
static const char *search_ranges(const Search *search, const Array *begins, const Array *ends,
                                 int *memory)
{
    const int64_t *begin = begins->data, *end = ends->data;
    int there = 1;
    int32_t *sums = malloc((search->queries.q + 1) * BATCH * sizeof(int32_t));
    *memory = !sums;
    for (Py_ssize_t i = 0; sums && there && i < begins->length; i++)
        there = search_range(search, begin[i], end[i], sums);
    free(sums);
    return there ? NULL : "a row without a mark";
}

/* closest(codes, begins, ends, scales, rows or nothing, allowed or nothing, queries as int16, their
 *         scales, [d, k], found rows, products, [found by each query]) */
static PyObject *closest(PyObject *module, PyObject *arguments)
{
    Array a[12];
    const int items[] = {1, 8, 8, 4, 4, 1, 2, 4, 8, 4, 4, 8};
    if (!take(arguments, a, items, 12, 9))
        return NULL;
    Py_ssize_t d = (Py_ssize_t)((const int64_t *)a[8].data)[0], n = a[3].length, q = a[7].length;
    Py_ssize_t k = (Py_ssize_t)((const int64_t *)a[8].data)[1];
    const int64_t *begins = a[1].data, *ends = a[2].data;
    Search search = {a[0].data, a[3].data, a[4].length ? a[4].data : NULL,
                     a[5].length ? a[5].data : NULL, d, n, a[5].length,
                     {NULL, NULL, 0}, a[7].data, NULL, a[11].data, NULL, k, k + (k > 64 ? k : 64)};
    const char *wrong = a[1].length == a[2].length ? NULL : "begins and ends of another number";
    for (Py_ssize_t i = 0; !wrong && i < a[1].length; i++)
        if (begins[i] < 0 || ends[i] < begins[i] || ends[i] > n)
            wrong = "a range outside the codes";
    if (a[0].length < n * d || a[6].length < q * d || (search.rows && a[4].length < n) ||
        (search.allowed && !search.rows && a[5].length < n))
        wrong = "too few codes, rows or marks";
    if (q * k > a[9].length || q * k > a[10].length || q > a[11].length)
        wrong = "no room for what is found";
    search.hits = malloc(q * search.room * sizeof(Hit) + q * sizeof(float) + 1);
    search.least = (float *)(search.hits + q * search.room);
    int memory = !prepare(&search.queries, a[6].data, a[6].length < q * d ? 0 : q, d) ||
                 !search.hits;
    if (!wrong && !memory) {
        Py_BEGIN_ALLOW_THREADS
        memset(search.found, 0, q * sizeof(int64_t));
        for (Py_ssize_t at = 0; at < q; at++)
            search.least[at] = -INFINITY;
        if (k > 0)
            wrong = search_ranges(&search, &a[1], &a[2], &memory);
        for (Py_ssize_t at = 0; !wrong && !memory && at < q; at++) {
            Hit *hits = search.hits + at * search.room;
            if (search.found[at] > k) {
                select_hits(hits, search.found[at], k);
                search.found[at] = k;
            }
            sort_hits(hits, search.found[at]);
            for (Py_ssize_t j = 0; j < search.found[at]; j++) {
                int32_t place = row_of(hits[j]);
                ((int32_t *)a[9].data)[at * k + j] = search.rows ? search.rows[place] : place;
                ((float *)a[10].data)[at * k + j] = score_of(hits[j]);
            }
        }
        Py_END_ALLOW_THREADS
    }
    free(search.queries.bytes);
    free(search.hits);
    return outcome(a, 12, wrong, memory);
}

/* Tables of rows or terms -------------------------------------------------------------------- */

typedef struct {
    int32_t *keys, *values; /* A value of -1: nothing is here. */
    size_t mask;
} Table;

static int make(Table *table, Py_ssize_t m)
{
    size_t size = 16;
    while (size < 2 * (size_t)m)
        size *= 2;
    table->mask = size - 1;
    table->keys = malloc(2 * size * sizeof(int32_t));
    if (!table->keys)
        return 0;
    table->values = table->keys + size;
    memset(table->values, 0xff, size * sizeof(int32_t));
    return 1;
}

/* Return where a key is, or belongs. */
INLINE size_t slot(const Table *table, int32_t key)
{
    size_t at = ((uint32_t)key * 2654435769u >> 7) & table->mask;
    while (table->values[at] >= 0 && table->keys[at] != key)
        at = (at + 1) & table->mask;
    return at;
}

INLINE void put(Table *table, int32_t key, int32_t value)
{
    size_t at = slot(table, key);
    table->keys[at] = key;
    table->values[at] = value;
}

/* places(rows, wanted, out): of each wanted row among distinct ones, -1 where it is not. */
static PyObject *places(PyObject *module, PyObject *arguments)
{
    Array a[3];
    const int items[] = {4, 4, 4};
    if (!take(arguments, a, items, 3, 2))
        return NULL;
    const int32_t *rows = a[0].data, *wanted = a[1].data;
    Table table;
    int there = make(&table, 2 * a[0].length); /* Large: most of what is wanted is not there. */
    const char *wrong = a[2].length < a[1].length ? "no room for the places" : NULL;
    if (!wrong && there) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < a[0].length; i++)
            put(&table, rows[i], (int32_t)i);
        for (Py_ssize_t i = 0; i < a[1].length; i++)
            ((int32_t *)a[2].data)[i] = table.values[slot(&table, wanted[i])];
        Py_END_ALLOW_THREADS
    }
    if (there)
        free(table.keys);
    return outcome(a, 3, wrong, !there);
}

/* number(rows, numbers, keys, [found]): the distinct rows, ascending, and the number of each row. */
static PyObject *number(PyObject *module, PyObject *arguments)
{
    Array a[4];
    const int items[] = {4, 4, 4, 8};
    if (!take(arguments, a, items, 4, 1))
        return NULL;
    Py_ssize_t m = a[0].length, found = 0;
    int32_t *numbers = a[1].data, *keys = a[2].data;
    const char *wrong = a[1].length < m || a[2].length < m ? "no room for the numbers" : NULL;
    Sorting sorting;
    int there = begin_sorting(&sorting, m, a[0].data);
    if (!wrong && there) {
        sort_keys(&sorting, m);
        for (Py_ssize_t i = 0; i < m; i++) {
            if (!i || sorting.keys[i] != sorting.keys[i - 1])
                keys[found++] = (int32_t)sorting.keys[i];
            numbers[sorting.places[i]] = (int32_t)found - 1;
        }
    }
    *(int64_t *)a[3].data = found;
    if (there)
        end_sorting(&sorting);
    return outcome(a, 4, wrong, !there);
}

/* slices(begins, lengths, values, [bytes of one], owners, out): parts of an array, one by one. */
static PyObject *slices(PyObject *module, PyObject *arguments)
{
    Array a[6];
    const int items[] = {8, 8, 1, 8, 4, 1};
    if (!take(arguments, a, items, 6, 4))
        return NULL;
    const int64_t *begins = a[0].data, *lengths = a[1].data, width = *(int64_t *)a[3].data;
    int64_t length = a[2].length / width, room = a[5].length / width, at = 0;
    const char *wrong = a[1].length < a[0].length ? "lengths of another number" : NULL;
    for (Py_ssize_t i = 0; i < a[0].length && !wrong; i++) {
        int64_t begin = begins[i], here = lengths[i];
        if (here < 0 || begin < 0 || begin > length || here > length - begin ||
            here > room - at || here > a[4].length - at)
            wrong = "a part outside the array";
        else if (here)
            memcpy((char *)a[5].data + at * width, (char *)a[2].data + begin * width, here * width);
        for (int64_t end = wrong ? at : at + here; at < end; at++)
            ((int32_t *)a[4].data)[at] = (int32_t)i;
    }
    return outcome(a, 6, wrong, 0);
}

/* totals(owners, weights or nothing, sums): weights, else ones, summed up by owner. */
static PyObject *totals(PyObject *module, PyObject *arguments)
{
    Array a[3];
    const int items[] = {4, 4, 4};
    if (!take(arguments, a, items, 3, 2))
        return NULL;
    const int32_t *owners = a[0].data;
    double *sums = calloc(a[2].length + 1, sizeof(double));
    const char *wrong = a[1].length && a[1].length != a[0].length ? "weights of another number" : NULL;
    for (Py_ssize_t i = 0; sums && !wrong && i < a[0].length; i++)
        if (owners[i] < 0 || owners[i] >= a[2].length)
            wrong = "an owner outside the sums";
        else
            sums[owners[i]] += a[1].length ? ((const float *)a[1].data)[i] : 1;
    for (Py_ssize_t i = 0; sums && i < a[2].length; i++)
        ((float *)a[2].data)[i] = (float)sums[i];
    free(sums);
    return outcome(a, 3, wrong, !sums);
}

/* older(starts, citing, years, rows, [limit], out): how many papers below a limit of years cite each
 * row; citing papers lie by ascending years, those of unknown ones (-1) last. */
static PyObject *older(PyObject *module, PyObject *arguments)
{
    Array a[6];
    const int items[] = {8, 4, 2, 4, 8, 8};
    if (!take(arguments, a, items, 6, 5))
        return NULL;
    const int64_t *starts = a[0].data, limit = *(int64_t *)a[4].data;
    const int32_t *citing = a[1].data, *rows = a[3].data;
    const char *wrong = a[5].length < a[3].length ? "no room for the counts" : NULL;
    for (Py_ssize_t i = 0; i < a[3].length && !wrong; i++) {
        int64_t row = rows[i], begin = row < 0 || row >= a[0].length - 1 ? -1 : starts[row];
        int64_t low = begin, high = begin < 0 ? begin : starts[row + 1];
        if (begin < 0 || high < begin || high > a[1].length)
            wrong = "a row or citations outside the graph";
        while (low < high && !wrong) {
            int64_t middle = (low + high) / 2;
            if (citing[middle] < 0 || citing[middle] >= a[2].length)
                wrong = "a citing paper outside the graph";
            else if ((uint16_t)((int16_t *)a[2].data)[citing[middle]] < limit)
                low = middle + 1;
            else
                high = middle;
        }
        ((int64_t *)a[5].data)[i] = low - begin;
    }
    return outcome(a, 6, wrong, 0);
}

/* Words ----------------------------------------------------------------------------------- */

/* A search adds up what each term can bring a paper at most, which takes whole numbers and no look
 * at the paper, and weighs those papers exactly that may be among the k best. */

typedef struct {
    const int64_t *starts;
    const int32_t *rows;
    const uint8_t *levels;
    const double *norms;
    Py_ssize_t n;
    const int64_t *paper_starts; /* The terms of each paper, ascending. */
    const int32_t *paper_terms;
    const void *frequencies; /* Beside them. */
    int width;               /* Bytes of a frequency. */
    Py_ssize_t length;
} Postings;

enum { SOME = 256, FILTER = 1 << 12, LAYERS = 8, TOGETHER = 256 };
/* Bounds are whole numbers of 16 bits: where those of 32 are kept, half of the time goes into waiting
 * for them. Each posting's is rounded up, so a bound is too high by less than its terms. */
#define MOST_BOUND 65535.0
#define ROUNDED (1 - 1e-6) /* More than what all roundings take from a bound. */

/* What a posting adds to a bound; weight: 65536 times what a level does. */
INLINE uint16_t bound_of(uint32_t weight, uint8_t level)
{
    return (uint16_t)((weight * level + 0xffff) >> 16);
}

/* Look at m postings: what each adds to a bound, and how far the rows go from `begin` on. */
INLINE void look_at_body(const int32_t *restrict rows, const uint8_t *restrict levels, Py_ssize_t m,
                         uint32_t begin, uint32_t weight, uint16_t *restrict bounds,
                         uint32_t *farthest)
{
    uint32_t most = 0;
    for (Py_ssize_t i = 0; i < m; i++) {
        uint32_t place = (uint32_t)rows[i] - begin;
        most = place > most ? place : most;
    }
    for (Py_ssize_t i = 0; i < m; i++)
        bounds[i] = bound_of(weight, levels[i]);
    *farthest = most;
}
DISPATCH(look_at,
         (const int32_t *rows, const uint8_t *levels, Py_ssize_t m, uint32_t begin, uint32_t weight,
          uint16_t *bounds, uint32_t *farthest),
         (rows, levels, m, begin, weight, bounds, farthest))

/* Add bounds to the sums of the rows at places at ... stop. Sums are of `size` rows from `begin` on;
 * tell whether all rows are among these. */
static int add_term(const Postings *p, int64_t at, int64_t stop, Py_ssize_t begin, Py_ssize_t size,
                    uint32_t weight, uint16_t *sums)
{
    /* Where the sum of row 0 would be: to take `begin` from each row costs a twentieth of a search. */
    uintptr_t first = (uintptr_t)sums - 2 * (uintptr_t)begin;
    while (at < stop) {
        Py_ssize_t m = stop - at < SOME ? (Py_ssize_t)(stop - at) : SOME, i = 0;
        const int32_t *rows = p->rows + at;
        uint16_t bounds[SOME];
        uint32_t farthest;
        prefetch(rows + 2 * SOME, SOME * sizeof(int32_t)); /* Processors foresee one page alone. */
        prefetch(p->levels + at + 2 * SOME, SOME);
        look_at(rows, p->levels + at, m, (uint32_t)begin, weight, bounds, &farthest);
        if (farthest >= (size_t)size)
            return 0;
        for (; i + 16 <= m; i += 16)
            for (int j = 0; j < 16; j++)
                *(uint16_t *)(first + 2 * (uintptr_t)(uint32_t)rows[i + j]) += bounds[i + j];
        for (; i < m; i++)
            *(uint16_t *)(first + 2 * (uintptr_t)(uint32_t)rows[i]) += bounds[i];
        at += m;
    }
    return 1;
}

/* Return where the rows at ... last, which ascend, come to `end`. */
static int64_t before(const int32_t *rows, int64_t at, int64_t last, Py_ssize_t end)
{
    if (at == last || rows[last - 1] < end)
        return last;
    while (at < last) {
        int64_t middle = at + (last - at) / 2;
        if (rows[middle] < end)
            at = middle + 1;
        else
            last = middle;
    }
    return at;
}

typedef struct {
    Table table;            /* Term -> its number; large, so that few terms share a place. */
    uint8_t filter[FILTER]; /* By the last bits of terms: most are none of the query. */
    Py_ssize_t t;
    const float *terms;     /* idf, K1 + 1 and count of each. */
    uint32_t *weights;      /* Of each, see bound_of. */
    int64_t *at, *last;     /* Where the postings of each are. */
    double scale;           /* What a score is multiplied with, to be no higher than its bound. */
} Query;

INLINE float frequency(const Postings *p, int64_t at)
{
    return p->width == 1   ? (float)((const uint8_t *)p->frequencies)[at]
           : p->width == 2 ? (float)((const uint16_t *)p->frequencies)[at]
                           : (float)((const uint32_t *)p->frequencies)[at];
}

/* Sum up the weights of a query's terms in a paper whose terms are at ... end. */
static float exact(const Postings *p, const Query *query, double norm, int64_t at, int64_t end)
{
    double sum = 0;
    while (at < end) {
        int64_t places[TOGETHER], stop = end - at < TOGETHER ? end : at + TOGETHER;
        int m = 0;
        for (; at < stop; at++) { /* Without a branch: what passes the filter cannot be foretold. */
            places[m] = at;
            m += query->filter[p->paper_terms[at] & (FILTER - 1)];
        }
        for (int i = 0; i < m; i++) {
            size_t here = slot(&query->table, p->paper_terms[places[i]]);
            int32_t number = query->table.values[here];
            if (number < 0)
                continue;
            const float *term = query->terms + 3 * number;
            float f = frequency(p, places[i]);
            double weight = (double)(term[0] * f * term[1]) / ((double)f + norm);
            sum += (double)((float)weight * term[2]);
        }
    }
    return (float)sum;
}

typedef struct {
    Hit *heap;
    Py_ssize_t held, k;
} Best;

/* Have the terms of a paper at hand soon. */
INLINE void prefetch_paper(const Postings *p, int32_t row)
{
    int64_t at = p->paper_starts[row];
    if (at < 0 || at >= p->length)
        return;
    PREFETCH(p->norms + row);
    for (int line = 0; line < 6; line++)
        PREFETCH(p->paper_terms + at + 16 * line);
    PREFETCH((const char *)p->frequencies + at * p->width);
    PREFETCH((const char *)p->frequencies + at * p->width + 64);
}

/* Weigh papers exactly, and keep the best; tell whether their terms were there. */
static int weigh(const Postings *p, const Query *query, const int32_t *rows, Py_ssize_t m,
                 Best *best)
{
    for (Py_ssize_t i = 0; i < m; i++) {
        if (i + 2 * AHEAD < m)
            PREFETCH(p->paper_starts + rows[i + 2 * AHEAD]);
        if (i + AHEAD < m)
            prefetch_paper(p, rows[i + AHEAD]);
        int64_t at = p->paper_starts[rows[i]], end = p->paper_starts[rows[i] + 1];
        if (at < 0 || end > p->length)
            return 0;
        float score = exact(p, query, p->norms[rows[i]], at, end);
        if (score > 0)
            best->held = keep(best->heap, best->held, best->k, hit_of(score, rows[i]));
    }
    return 1;
}

/* Return the bound, from 1 up, that a paper must come to so as to be among the best. */
static int32_t least(const Best *best, const Query *query)
{
    double bound = best->held < best->k ? 1 : (double)score_of(best->heap[0]) * query->scale;
    return bound < 1 ? 1 : bound > MOST_BOUND ? (int32_t)MOST_BOUND : (int32_t)bound;
}

/* Find the highest allowed one of each LAYERS sums that lie `groups` apart. */
INLINE void find_tops_body(const uint16_t *restrict sums, const uint8_t *restrict allowed,
                           Py_ssize_t size, Py_ssize_t groups, uint16_t *restrict tops)
{
    memset(tops, 0, groups * sizeof(uint16_t));
    for (Py_ssize_t begin = 0; begin < size; begin += groups) {
        Py_ssize_t m = size - begin < groups ? size - begin : groups;
        const uint16_t *restrict here = sums + begin;
        if (allowed)
            for (Py_ssize_t i = 0; i < m; i++) {
                uint16_t sum = (uint16_t)(here[i] & -allowed[begin + i]);
                tops[i] = sum > tops[i] ? sum : tops[i];
            }
        else
            for (Py_ssize_t i = 0; i < m; i++)
                tops[i] = here[i] > tops[i] ? here[i] : tops[i];
    }
}
DISPATCH(find_tops,
         (const uint16_t *sums, const uint8_t *allowed, Py_ssize_t size, Py_ssize_t groups,
          uint16_t *tops),
         (sums, allowed, size, groups, tops))

/* There are no more tops than 16 bits count. */
INLINE void count_from_body(const uint16_t *tops, Py_ssize_t m, uint16_t bound, uint16_t *out)
{
    uint16_t count = 0;
    for (Py_ssize_t i = 0; i < m; i++)
        count = (uint16_t)(count + (tops[i] >= bound));
    *out = count;
}
DISPATCH(count_from, (const uint16_t *tops, Py_ssize_t m, uint16_t bound, uint16_t *out),
         (tops, m, bound, out))

/* Raise a bound until hardly more than k tops come to it, but no fewer. */
static int32_t raised(const uint16_t *tops, Py_ssize_t m, int32_t bound, Py_ssize_t k)
{
    int32_t low = bound, high = 1 << 16;
    uint16_t count;
    count_from(tops, m, (uint16_t)bound, &count);
    while (high - low > 1 && count > k + k / 32) {
        int32_t middle = (low + high) / 2;
        uint16_t here;
        count_from(tops, m, (uint16_t)middle, &here);
        if (here < k)
            high = middle;
        else
            low = middle, count = here;
    }
    return low;
}

/* List up to a LAYERS-th of the places of tops that come to a bound; return their number. */
INLINE void list_tops_body(const uint16_t *tops, Py_ssize_t groups, uint16_t bound, int32_t *out,
                           Py_ssize_t *found)
{
    Py_ssize_t m = 0;
    for (Py_ssize_t i = 0; i < groups; i++) {
        out[m] = (int32_t)i;
        m += tops[i] >= bound;
    }
    *found = m;
}
DISPATCH(list_tops,
         (const uint16_t *tops, Py_ssize_t groups, uint16_t bound, int32_t *out,
          Py_ssize_t *found),
         (tops, groups, bound, out, found))

enum { GROUPS = BLOCK / LAYERS + LAYERS };

/* What a search writes into. */
typedef struct {
    uint16_t sums[BLOCK], tops[GROUPS];
    int32_t places[GROUPS + 1], rows[BLOCK + LAYERS];
} Room;

/* List the rows of a block whose bounds are from `low` to below `high`; return their number. */
static Py_ssize_t list_rows(Room *room, Py_ssize_t size, int32_t begin, const uint8_t *allowed,
                            int32_t low, int32_t high)
{
    Py_ssize_t groups = (size + LAYERS - 1) / LAYERS;
    Py_ssize_t m, found = 0;
    list_tops(room->tops, groups, (uint16_t)low, room->places, &m);
    for (Py_ssize_t i = 0; i < m; i++)
        for (Py_ssize_t place = room->places[i]; place < size; place += groups) {
            room->rows[found] = begin + (int32_t)place;
            found += room->sums[place] >= low && room->sums[place] < high &&
                     (!allowed || allowed[place]);
        }
    return found;
}

/* Keep the best of a block whose bounds are summed up; tell whether their terms were there. */
static int look_through(const Postings *p, const Query *query, Room *room, int32_t begin,
                        Py_ssize_t size, const uint8_t *allowed, Best *best)
{
    Py_ssize_t groups = (size + LAYERS - 1) / LAYERS;
    allowed = allowed ? allowed + begin : NULL;
    find_tops(room->sums, allowed, size, groups, room->tops);
    int32_t low = raised(room->tops, groups, least(best, query), best->k);
    int32_t high = 1 << 16;
    Py_ssize_t m = list_rows(room, size, begin, allowed, low, high);
    if (!weigh(p, query, room->rows, m, best)) /* The most promising ones tell what is needed. */
        return 0;
    high = low;
    low = least(best, query);
    m = low < high ? list_rows(room, size, begin, allowed, low, high) : 0;
    return weigh(p, query, room->rows, m, best);
}

/* Sum up the bounds of `size` papers from `begin` on; tell whether all rows are among these. */
static int add_terms(const Postings *p, const Query *query, Py_ssize_t begin, Py_ssize_t size,
                     uint16_t *sums)
{
    memset(sums, 0, size * sizeof(uint16_t));
    for (Py_ssize_t i = 0; i < query->t; i++) {
        int64_t at = query->at[i], stop = before(p->rows, at, query->last[i], begin + size);
        if (i + 1 < query->t) {
            prefetch(p->rows + query->at[i + 1], 2 * SOME * sizeof(int32_t));
            prefetch(p->levels + query->at[i + 1], 2 * SOME);
        }
        if (!add_term(p, at, stop, begin, size, query->weights[i], sums))
            return 0;
        query->at[i] = stop;
    }
    return 1;
}

static const char *find_best(const Postings *p, const Query *query, Room *room,
                             const uint8_t *allowed, Best *best)
{
    for (Py_ssize_t begin = 0; begin < p->n; begin += BLOCK) {
        Py_ssize_t size = p->n - begin < BLOCK ? p->n - begin : BLOCK;
        if (!add_terms(p, query, begin, size, room->sums))
            return "a row outside the papers, or postings that do not ascend";
        if (!look_through(p, query, room, (int32_t)begin, size, allowed, best))
            return "terms of a paper outside their file";
    }
    for (Py_ssize_t i = 0; i < query->t; i++)
        if (query->at[i] < query->last[i])
            return "a row outside the papers";
    return NULL;
}

/* Note where the postings of terms lie, their numbers, and what they add to bounds. */
static const char *look_up_terms(const Postings *p, const Array *a, Query *query)
{
    const int32_t *codes = a[7].data;
    double most = 0;
    for (Py_ssize_t i = 0; i < query->t; i++) {
        int32_t code = codes[i];
        const float *term = query->terms + 3 * i;
        if (code < 0 || code >= a[0].length - 1 || (i && code <= codes[i - 1]))
            return "a term outside the postings, or terms that do not ascend";
        query->at[i] = p->starts[code];
        query->last[i] = p->starts[code + 1];
        if (query->at[i] < 0 || query->last[i] < query->at[i] || query->last[i] > a[1].length ||
            query->last[i] > a[2].length)
            return "postings outside their file";
        put(&query->table, code, (int32_t)i);
        query->filter[code & (FILTER - 1)] = 1;
        double weight = (double)term[0] * term[1] * term[2];
        most += weight > 0 ? weight : 0;
    }
    double scale = most > 0 ? (MOST_BOUND - 2 * (double)query->t) / most : 0;
    if (scale < 0 || !(most <= 1e30))
        return "too many terms, or weights that are no numbers";
    for (Py_ssize_t i = 0; i < query->t; i++) {
        const float *term = query->terms + 3 * i;
        double weight = (double)term[0] * term[1] * term[2];
        query->weights[i] = weight > 0 ? (uint32_t)(weight * scale * (65536 / 255.0)) + 1 : 0;
    }
    query->scale = scale * ROUNDED;
    return NULL;
}

/* What a search writes into, kept for the next one: to ask for it anew takes as long as a tenth of
 * the search. It is taken and given back while the interpreter's lock is held. */
static Room *spare;

/* matches(starts, rows, levels, norms, starts by papers, terms, frequencies, codes, weights,
 * allowed, [width, k], found rows, scores, [found]) */
static PyObject *matches(PyObject *module, PyObject *arguments)
{
    Array a[14];
    const int items[] = {8, 4, 1, 8, 8, 4, 1, 4, 4, 1, 8, 4, 4, 8};
    if (!take(arguments, a, items, 14, 11))
        return NULL;
    const int64_t *facts = a[10].data;
    Postings p = {a[0].data, a[1].data, a[2].data, a[3].data, a[3].length,
                  a[4].data, a[5].data, a[6].data, (int)facts[0], a[5].length};
    Py_ssize_t t = a[7].length;
    const uint8_t *allowed = a[9].length ? a[9].data : NULL;
    const char *wrong = NULL;
    Best best = {malloc((facts[1] + 1) * sizeof(Hit)), 0, (Py_ssize_t)facts[1]};
    int64_t *at = malloc((2 * sizeof(int64_t) + sizeof(uint32_t)) * (t + 1));
    Room *room = spare ? spare : malloc(sizeof(Room));
    spare = NULL;
    Query query = {.t = t, .terms = a[8].data, .at = at};
    int tabled = make(&query.table, 4 * t), memory = !best.heap || !at || !room || !tabled;
    if (allowed && a[9].length < p.n)
        wrong = "a mask of another length";
    else if (a[4].length != p.n + 1 || a[6].length != p.length * p.width)
        wrong = "terms of another number of papers";
    else if (!memory) {
        query.last = at + t;
        query.weights = (uint32_t *)(query.last + t);
        wrong = look_up_terms(&p, a, &query);
    }
    if (!memory && !wrong && best.k > 0) {
        Py_BEGIN_ALLOW_THREADS
        wrong = find_best(&p, &query, room, allowed, &best);
        sort_hits(best.heap, best.held);
        Py_END_ALLOW_THREADS
    }
    for (Py_ssize_t i = 0; i < best.held && !wrong; i++) {
        ((int32_t *)a[11].data)[i] = row_of(best.heap[i]);
        ((float *)a[12].data)[i] = score_of(best.heap[i]);
    }
    *(int64_t *)a[13].data = best.held;
    if (tabled)
        free(query.table.keys);
    free(best.heap);
    free(at);
    if (spare)
        free(room);
    else
        spare = room;
    return outcome(a, 14, wrong, memory);
}

/* Trees ----------------------------------------------------------------------------------- */

typedef struct {
    const int32_t *feature, *tree;
    const float *threshold;
    const uint32_t *left; /* The leaves that remain where the value is above the threshold. */
    const float *values;  /* (trees, LEAVES). */
    Py_ssize_t nodes, trees;
} Forest;

enum { LEAVES = 32, TILE = 64 };

/* Find the lowest bit that is set; 0 where none is. */
INLINE int lowest(uint32_t bits)
{
#if defined(__GNUC__)
    return bits ? __builtin_ctz(bits) : 0;
#else
    int at = 0;
    while (bits && !(bits >> at & 1))
        at++;
    return at;
#endif
}

/* Of some papers, rule out the leaves of one tree after the other that they do not come to: the
 * lowest that is left is theirs (Lucchese et al. 2015, QuickScorer: A Fast Algorithm to Rank
 * Documents with Additive Ensembles of Regression Trees). TILE papers, whose leaves stay in
 * registers, or fewer. */
INLINE void add_up_tile(const Forest *forest, const float *restrict features, Py_ssize_t m,
                        int here, float *restrict out)
{
    uint32_t remaining[TILE];
    float sums[TILE] = {0};
    Py_ssize_t i = 0;
    for (Py_ssize_t tree = 0; tree < forest->trees; tree++) {
        const float *restrict values = forest->values + tree * LEAVES;
        for (int at = 0; at < here; at++)
            remaining[at] = 0xffffffffu;
        for (; i < forest->nodes && forest->tree[i] == tree; i++) {
            const float *restrict column = features + forest->feature[i] * m;
            float threshold = forest->threshold[i];
            uint32_t left = forest->left[i];
            for (int at = 0; at < here; at++)
                remaining[at] &= column[at] > threshold ? left : 0xffffffffu;
        }
        for (int at = 0; at < here; at++)
            sums[at] += values[lowest(remaining[at])];
    }
    memcpy(out, sums, here * sizeof(float));
}

INLINE void add_tile_body(const Forest *forest, const float *features, Py_ssize_t m, float *out)
{
    add_up_tile(forest, features, m, TILE, out);
}
DISPATCH(add_tile, (const Forest *forest, const float *features, Py_ssize_t m, float *out),
         (forest, features, m, out))

#ifdef WIDE
/* The same. The lowest bit as a number of 32 bits has its place as the exponent, and the leaves of
 * a tree fit into two registers, out of which each paper takes its own. */
FOR(WIDE) static void add_tile_wide(const Forest *forest, const float *features, Py_ssize_t m,
                                    float *out)
{
    enum { REGISTERS = TILE / 16 };
    const __m512i none = _mm512_setzero_si512();
    __m512 sums[REGISTERS];
    for (int r = 0; r < REGISTERS; r++)
        sums[r] = _mm512_setzero_ps();
    Py_ssize_t i = 0;
    for (Py_ssize_t tree = 0; tree < forest->trees; tree++) {
        __m512i remaining[REGISTERS];
#pragma GCC unroll 4
        for (int r = 0; r < REGISTERS; r++)
            remaining[r] = _mm512_set1_epi32(-1);
        for (; i < forest->nodes && forest->tree[i] == tree; i++) {
            const float *column = features + forest->feature[i] * m;
            __m512 threshold = _mm512_set1_ps(forest->threshold[i]);
            __m512i left = _mm512_set1_epi32((int32_t)forest->left[i]);
#pragma GCC unroll 4
            for (int r = 0; r < REGISTERS; r++) {
                __m512 value = _mm512_loadu_ps(column + 16 * r);
                __mmask16 above = _mm512_cmp_ps_mask(value, threshold, _CMP_GT_OQ);
                remaining[r] = _mm512_mask_and_epi32(remaining[r], above, remaining[r], left);
            }
        }
        __m512 low = _mm512_loadu_ps(forest->values + tree * LEAVES);
        __m512 high = _mm512_loadu_ps(forest->values + tree * LEAVES + 16);
#pragma GCC unroll 4
        for (int r = 0; r < REGISTERS; r++) {
            __m512i bit = _mm512_and_si512(remaining[r], _mm512_sub_epi32(none, remaining[r]));
            __m512i bits = _mm512_castps_si512(_mm512_cvtepu32_ps(bit));
            __m512i leaf = _mm512_sub_epi32(_mm512_srli_epi32(bits, 23), _mm512_set1_epi32(127));
            leaf = _mm512_max_epi32(leaf, none);
            sums[r] = _mm512_add_ps(sums[r], _mm512_permutex2var_ps(low, leaf, high));
        }
    }
    for (int r = 0; r < REGISTERS; r++)
        _mm512_storeu_ps(out + 16 * r, sums[r]);
}
#endif

/* Score m papers by tiles; the last one begins early enough to be a whole one. */
static void add_leaves(const Forest *forest, const float *features, Py_ssize_t m, float *out)
{
    if (m < TILE) {
        add_up_tile(forest, features, m, (int)m, out);
        return;
    }
    for (Py_ssize_t at = 0; at < m; at += TILE) {
        Py_ssize_t begin = at + TILE < m ? at : m - TILE;
#ifdef WIDE
        if (level == 2) {
            add_tile_wide(forest, features + begin, m, out + begin);
            continue;
        }
#endif
        add_tile(forest, features + begin, m, out + begin);
    }
}

/* trees(feature, threshold, tree, left, values, features by column, [columns, trees], out) */
static PyObject *trees(PyObject *module, PyObject *arguments)
{
    Array a[8];
    const int items[] = {4, 4, 4, 4, 4, 4, 8, 4};
    if (!take(arguments, a, items, 8, 7))
        return NULL;
    const int64_t *facts = a[6].data;
    Py_ssize_t f = (Py_ssize_t)facts[0], t = (Py_ssize_t)facts[1], m = a[7].length;
    Forest forest = {a[0].data, a[2].data, a[1].data, a[3].data, a[4].data, a[0].length, t};
    const float *features = a[5].data;
    float *out = a[7].data;
    const char *wrong = NULL;
    for (Py_ssize_t i = 0; i < forest.nodes; i++)
        if (forest.feature[i] < 0 || forest.feature[i] >= f || forest.tree[i] < 0 ||
            forest.tree[i] >= t || (i && forest.tree[i] < forest.tree[i - 1]))
            wrong = "a node outside the trees or features";
    if (a[5].length < m * f || a[4].length < t * LEAVES)
        wrong = "too few features or leaves";
    if (!wrong) {
        Py_BEGIN_ALLOW_THREADS
        add_leaves(&forest, features, m, out);
        Py_END_ALLOW_THREADS
    }
    return outcome(a, 8, wrong, 0);
}

/* Lines between knots ------------------------------------------------------------------------ */

/* Read a value off the lines between k >= 1 ascending knots, as numpy.interp does. */
INLINE float interpolate(double x, const float *knots, const float *values, Py_ssize_t k)
{
    if (x < knots[0])
        return values[0];
    if (!(x < knots[k - 1]))
        return x >= knots[k - 1] ? values[k - 1] : (float)x; /* What is no number stays none. */
    Py_ssize_t at = 0;
    for (Py_ssize_t length = k - 1; length > 1; length -= length / 2)
        at += x >= knots[at + length / 2] ? length / 2 : 0;
    double from = values[at], slope = (values[at + 1] - from) / ((double)knots[at + 1] - knots[at]);
    return (float)(slope * (x - knots[at]) + from);
}

/* interpolated(features, knots, values, [f], out): (f, n) features; knots and values are (f, k). */
static PyObject *interpolated(PyObject *module, PyObject *arguments)
{
    Array a[5];
    const int items[] = {4, 4, 4, 8, 4};
    if (!take(arguments, a, items, 5, 4))
        return NULL;
    Py_ssize_t f = (Py_ssize_t)*(int64_t *)a[3].data;
    Py_ssize_t n = f > 0 ? a[0].length / f : 0, k = f > 0 ? a[1].length / f : 0;
    const float *features = a[0].data, *knots = a[1].data, *values = a[2].data;
    float *out = a[4].data;
    if (k < 1 || a[2].length < f * k || a[4].length < f * n)
        return outcome(a, 5, "knots or features that do not fit each other", 0);
    for (Py_ssize_t i = 0; i < f * n; i++)
        out[i] = i % n && features[i] == features[i - 1] /* Many are the same for all. */
                     ? out[i - 1]
                     : interpolate(features[i], knots + i / n * k, values + i / n * k, k);
    return outcome(a, 5, NULL, 0);
}

static PyMethodDef methods[] = {
    {"dots", dots, METH_VARARGS, NULL},
    {"split_dots", split_dots, METH_VARARGS, NULL},
    {"scan", scan, METH_VARARGS, NULL},
    {"matches", matches, METH_VARARGS, NULL},
    {"closest", closest, METH_VARARGS, NULL},
    {"trees", trees, METH_VARARGS, NULL},
    {"places", places, METH_VARARGS, NULL},
    {"number", number, METH_VARARGS, NULL},
    {"slices", slices, METH_VARARGS, NULL},
    {"totals", totals, METH_VARARGS, NULL},
    {"older", older, METH_VARARGS, NULL},
    {"interpolated", interpolated, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "compiled", "Loops over arrays; see dispatch.py.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_compiled(void)
{
    look_at_processor();
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddIntConstant(module, "REVISION", REVISION) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
