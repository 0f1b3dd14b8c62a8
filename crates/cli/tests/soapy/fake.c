/* A library with the functions of SoapySDR that superhet uses, for tests: its radio does what a script says.

   FAKE_SOAPY_ABI      the ABI that it claims to have, 0.8 if none is said
   FAKE_SOAPY_MODULES  the folder of the modules, where SOAPY_SDR_PLUGIN_PATH says none: empty files, whose names say what they do:
                       fake (has two devices), hang, crash
   FAKE_SOAPY_READ     what reads give, a letter and a number each: rN N samples at most, oN an overflow that costs N samples, t a
                       time-out, z nothing, cN damage that costs N samples, e an error; behind the last whole reads
   FAKE_SOAPY_WRITE    the same for writes: wN N samples at most, t, u an underflow
   FAKE_SOAPY_TIME     anything: samples have their time
   FAKE_SOAPY_LOG      a file: a line for each call that sets something
   FAKE_SOAPY_OUT      a file: what is transmitted, as it comes

   Sample n of channel c is n + 1000000 c, and 1. */

#include <dirent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { double minimum, maximum, step; } Range;
typedef struct { size_t size; char **keys; char **values; } Kwargs;
typedef struct {
    char *key, *value, *name, *description, *units;
    int type;
    Range range;
    size_t options;
    char **option, **option_name;
} ArgInfo;

static const char *problem = "";
static double rate = 1e6, frequency[2] = {100e6, 100e6};
static long long taken;
static size_t channels = 1;
static const char *reads, *writes;
static bool burst_ended;

static void note(const char *format, ...)
{
    const char *path = getenv("FAKE_SOAPY_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    fclose(file);
}

static char **list(size_t *length, size_t count, ...)
{
    va_list arguments;
    va_start(arguments, count);
    char **all = calloc(count ? count : 1, sizeof(char *));
    for (size_t i = 0; i < count; i++)
        all[i] = strdup(va_arg(arguments, const char *));
    va_end(arguments);
    *length = count;
    return all;
}

static Range *range(size_t *length, double low, double high)
{
    Range *one = calloc(1, sizeof(Range));
    one->minimum = low;
    one->maximum = high;
    *length = 1;
    return one;
}

/* The next word of a script, as its letter and its number. */
static char next(const char **script, long *number)
{
    if (!*script)
        return 0;
    while (**script == ' ')
        ++*script;
    char letter = **script;
    if (!letter)
        return 0;
    char *end;
    *number = strtol(*script + 1, &end, 10);
    *script = end;
    return letter;
}

const char *SoapySDR_getABIVersion(void)
{
    const char *abi = getenv("FAKE_SOAPY_ABI");
    return abi ? abi : "0.8";
}
const char *SoapySDR_errToStr(int code) { return code == -2 ? "STREAM_ERROR" : "UNKNOWN"; }
void SoapySDR_setLogLevel(int level) { (void)level; }
void SoapySDR_free(void *memory) { free(memory); }

void SoapySDRStrings_clear(char ***all, size_t length)
{
    for (size_t i = 0; i < length; i++)
        free((*all)[i]);
    free(*all);
    *all = NULL;
}

void SoapySDRKwargs_clear(Kwargs *map)
{
    size_t size = map->size;
    SoapySDRStrings_clear(&map->keys, size);
    SoapySDRStrings_clear(&map->values, size);
    map->size = 0;
}

void SoapySDRKwargsList_clear(Kwargs *maps, size_t length)
{
    for (size_t i = 0; i < length; i++)
        SoapySDRKwargs_clear(&maps[i]);
    free(maps);
}

void SoapySDRArgInfoList_clear(ArgInfo *all, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        free(all[i].key);
        free(all[i].name);
    }
    free(all);
}

Kwargs SoapySDRKwargs_fromString(const char *text)
{
    Kwargs map = {0, NULL, NULL};
    note("stream arguments %s", text);
    return map;
}

char **SoapySDR_listModules(size_t *length)
{
    const char *folder = getenv("SOAPY_SDR_PLUGIN_PATH");
    folder = folder ? folder : getenv("FAKE_SOAPY_MODULES");
    char **all = calloc(64, sizeof(char *));
    *length = 0;
    DIR *directory = folder ? opendir(folder) : NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory)) && *length < 64;)
        if (entry->d_name[0] != '.') {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            all[(*length)++] = strdup(path);
        }
    if (directory)
        closedir(directory);
    return all;
}

char *SoapySDR_loadModule(const char *path) { return strdup(strstr(path, "broken") ? "dlopen() failed: no such symbol" : ""); }

Kwargs *SoapySDRDevice_enumerateStrArgs(const char *arguments, size_t *length)
{
    (void)arguments;
    size_t modules;
    char **all = SoapySDR_listModules(&modules);
    Kwargs *found = calloc(2, sizeof(Kwargs));
    *length = 0;
    for (size_t i = 0; i < modules; i++) {
        if (strstr(all[i], "hang"))
            for (;;)
                pause();
        if (strstr(all[i], "crash"))
            abort();
        if (strstr(all[i], "fake")) {
            printf("a driver talks\n");
            for (int device = 0; device < 2; device++) {
                size_t size;
                found[device].keys = list(&size, 3, "driver", "label", "serial");
                found[device].values = list(&size, 3, "fake", device ? "Fake 1" : "Fake 0", device ? "1" : "0");
                found[device].size = 3;
            }
            *length = 2;
        }
    }
    SoapySDRStrings_clear(&all, modules);
    return found;
}

const char *SoapySDRDevice_lastError(void) { return problem; }

void *SoapySDRDevice_makeStrArgs(const char *arguments)
{
    if (!strstr(arguments, "driver=fake")) {
        problem = "SoapySDR::Device::make() no match";
        return NULL;
    }
    problem = "";
    note("make %s", arguments);
    return &rate;
}
int SoapySDRDevice_unmake(void *device) { (void)device; note("unmake"); return 0; }

#define DEVICE void *device
#define CHANNEL void *device, int direction, size_t channel
#define UNUSED (void)device; (void)direction; (void)channel
#define WAY (direction ? "rx" : "tx")

char *SoapySDRDevice_getDriverKey(DEVICE) { (void)device; return strdup("fake"); }
char *SoapySDRDevice_getHardwareKey(DEVICE) { (void)device; return strdup("paper"); }
size_t SoapySDRDevice_getNumChannels(DEVICE, int direction) { (void)device; (void)direction; return 2; }
char **SoapySDRDevice_getStreamFormats(CHANNEL, size_t *length) { UNUSED; return list(length, 2, "CS16", "CF32"); }
char *SoapySDRDevice_getNativeStreamFormat(CHANNEL, double *full) { UNUSED; *full = 2048; return strdup("CS16"); }

void *SoapySDRDevice_setupStream(DEVICE, int direction, const char *format, const size_t *which, size_t count, const Kwargs *arguments)
{
    (void)device;
    (void)arguments;
    channels = count;
    note("setup %s %s of %zu from %zu", WAY, format, count, which[0]);
    if (!reads)
        reads = getenv("FAKE_SOAPY_READ");
    if (!writes)
        writes = getenv("FAKE_SOAPY_WRITE");
    return &channels;
}
int SoapySDRDevice_closeStream(DEVICE, void *stream) { (void)device; (void)stream; note("close"); return 0; }
size_t SoapySDRDevice_getStreamMTU(DEVICE, void *stream) { (void)device; (void)stream; return 2000; }
int SoapySDRDevice_activateStream(DEVICE, void *stream, int flags, long long time, size_t count)
{
    (void)device; (void)stream; (void)flags; (void)time; (void)count;
    note("activate");
    return 0;
}
int SoapySDRDevice_deactivateStream(DEVICE, void *stream, int flags, long long time)
{
    (void)device; (void)stream; (void)flags; (void)time;
    note("deactivate");
    return 0;
}

int SoapySDRDevice_readStream(DEVICE, void *stream, void *const *buffers, size_t count, int *flags, long long *time, long timeout)
{
    (void)device;
    (void)stream;
    long number = 0;
    switch (next(&reads, &number)) {
    case 'r': count = (size_t)number < count ? (size_t)number : count; break;
    case 'o': taken += number; return -4;
    case 'c': taken += number; return -3;
    case 't': usleep((unsigned)timeout); return -1;
    case 'z': return 0;
    case 'e': return -2;
    default: break;
    }
    usleep((unsigned)(count / rate * 1e6));
    for (size_t channel = 0; channel < channels; channel++)
        for (size_t i = 0; i < count; i++) {
            float *sample = (float *)buffers[channel] + 2 * i;
            sample[0] = (float)(taken + (long long)i + 1000000 * (long long)channel);
            sample[1] = 1;
        }
    *flags = 0;
    if (getenv("FAKE_SOAPY_TIME")) {
        *flags = 1 << 2;
        *time = (long long)(taken * (1e9 / rate)) + 5000000000;
    }
    taken += (long long)count;
    return (int)count;
}

int SoapySDRDevice_writeStream(DEVICE, void *stream, const void *const *buffers, size_t count, int *flags, long long time, long timeout)
{
    (void)device;
    (void)stream;
    long number = 0;
    switch (next(&writes, &number)) {
    case 'w': count = (size_t)number < count ? (size_t)number : count; break;
    case 't': usleep((unsigned)timeout); return -1;
    case 'u': return -7;
    default: break;
    }
    if (*flags)
        note("write %zu flags %d time %lld", count, *flags, *flags & 4 ? time : 0);
    burst_ended = *flags & 2;
    const char *path = getenv("FAKE_SOAPY_OUT");
    FILE *file = path && count ? fopen(path, "a") : NULL;
    if (file) {
        fwrite(buffers[channels - 1], 8, count, file);
        fclose(file);
    }
    usleep((unsigned)(count / rate * 1e6));
    return (int)count;
}

int SoapySDRDevice_readStreamStatus(DEVICE, void *stream, size_t *which, int *flags, long long *time, long timeout)
{
    (void)device; (void)stream; (void)which; (void)time; (void)timeout;
    static int asked;
    if (++asked == 2)
        return -7;
    if (!burst_ended)
        return -1;
    burst_ended = false;
    *flags = 2;
    return 0;
}

char **SoapySDRDevice_listAntennas(CHANNEL, size_t *length) { UNUSED; return list(length, 2, "RX", "TX/RX"); }
char *SoapySDRDevice_getAntenna(CHANNEL) { UNUSED; return strdup("RX"); }
int SoapySDRDevice_setAntenna(CHANNEL, const char *name) { (void)device; note("antenna %s %zu %s", WAY, channel, name); return 0; }
bool SoapySDRDevice_hasDCOffsetMode(CHANNEL) { UNUSED; return true; }
int SoapySDRDevice_setDCOffsetMode(CHANNEL, bool on) { (void)device; note("dc %s %zu %d", WAY, channel, on); return 0; }
bool SoapySDRDevice_hasIQBalanceMode(CHANNEL) { UNUSED; return false; }
int SoapySDRDevice_setIQBalanceMode(CHANNEL, bool on) { UNUSED; (void)on; return 0; }
bool SoapySDRDevice_hasFrequencyCorrection(CHANNEL) { UNUSED; return true; }
int SoapySDRDevice_setFrequencyCorrection(CHANNEL, double ppm) { (void)device; note("ppm %s %zu %g", WAY, channel, ppm); return 0; }
char **SoapySDRDevice_listGains(CHANNEL, size_t *length) { UNUSED; return list(length, 2, "LNA", "VGA"); }
bool SoapySDRDevice_hasGainMode(CHANNEL) { UNUSED; return true; }
int SoapySDRDevice_setGainMode(CHANNEL, bool on) { (void)device; note("gain mode %s %zu %d", WAY, channel, on); return 0; }
int SoapySDRDevice_setGain(CHANNEL, double db) { (void)device; note("gain %s %zu %g", WAY, channel, db); return 0; }
int SoapySDRDevice_setGainElement(CHANNEL, const char *name, double db)
{
    (void)device;
    note("gain %s %zu %s %g", WAY, channel, name, db);
    return 0;
}
Range SoapySDRDevice_getGainRange(CHANNEL) { UNUSED; return (Range){0, 60, 1}; }
Range SoapySDRDevice_getGainElementRange(CHANNEL, const char *name) { UNUSED; (void)name; return (Range){0, 30, 1}; }
int SoapySDRDevice_setFrequency(CHANNEL, double hz, const Kwargs *arguments)
{
    (void)device;
    (void)arguments;
    if (hz > 6e9) {
        problem = "out of range";
        return -1;
    }
    frequency[channel] = hz;
    note("frequency %s %zu %.0f", WAY, channel, hz);
    return 0;
}
double SoapySDRDevice_getFrequency(CHANNEL) { (void)device; (void)direction; return frequency[channel]; }
Range *SoapySDRDevice_getFrequencyRange(CHANNEL, size_t *length) { UNUSED; return range(length, 1e6, 6e9); }
int SoapySDRDevice_setSampleRate(CHANNEL, double hz)
{
    (void)device;
    rate = hz > 2e6 ? 2e6 : hz;
    note("rate %s %zu %.0f", WAY, channel, hz);
    return 0;
}
double SoapySDRDevice_getSampleRate(CHANNEL) { UNUSED; return rate; }
Range *SoapySDRDevice_getSampleRateRange(CHANNEL, size_t *length) { UNUSED; return range(length, 1e3, 2e6); }
int SoapySDRDevice_setBandwidth(CHANNEL, double hz) { (void)device; note("bandwidth %s %zu %.0f", WAY, channel, hz); return 0; }
Range *SoapySDRDevice_getBandwidthRange(CHANNEL, size_t *length) { UNUSED; return range(length, 1e5, 5e6); }
char **SoapySDRDevice_listClockSources(DEVICE, size_t *length) { (void)device; return list(length, 2, "internal", "external"); }
int SoapySDRDevice_setClockSource(DEVICE, const char *name) { (void)device; note("clock %s", name); return 0; }
char **SoapySDRDevice_listTimeSources(DEVICE, size_t *length) { (void)device; return list(length, 1, "gpsdo"); }
int SoapySDRDevice_setTimeSource(DEVICE, const char *name) { (void)device; note("time %s", name); return 0; }
char **SoapySDRDevice_listSensors(DEVICE, size_t *length) { (void)device; return list(length, 1, "temperature"); }
char *SoapySDRDevice_readSensor(DEVICE, const char *name) { (void)device; (void)name; return strdup("36.6"); }
char **SoapySDRDevice_listChannelSensors(CHANNEL, size_t *length) { UNUSED; return list(length, 1, "locked"); }
char *SoapySDRDevice_readChannelSensor(CHANNEL, const char *name) { UNUSED; (void)name; return strdup("true"); }
ArgInfo *SoapySDRDevice_getSettingInfo(DEVICE, size_t *length)
{
    (void)device;
    ArgInfo *info = calloc(1, sizeof(ArgInfo));
    info->key = strdup("biastee");
    info->name = strdup("Power for an amplifier");
    *length = 1;
    return info;
}
int SoapySDRDevice_writeSetting(DEVICE, const char *key, const char *value) { (void)device; note("setting %s %s", key, value); return 0; }
