// path-tracer: a small picture of spheres, traced with vectors, rays and hits that are immutable objects.
//
// It stresses the allocation path alone: every operation on a vector makes a new one, almost all die before the next ray, and next to nothing lives.
// What a collector takes here is what its young collections cost when there is nothing to do, and what its allocation costs the program.
//
// One operation is one pixel. Each has its own random numbers, so the picture does not depend on who computes it. One pixel in a few is traced again at
// the end and must come out the same.

namespace Garner.Bench;

internal sealed class PathTracer : Workload
{
    private const int Bounces = 6;
    private const int VerifiedOf = 64;

    public override string Name => "path-tracer";

    public override string Stresses => "allocation of small objects that die at once, young collections with next to nothing alive";

    public override Parameter[] Parameters =>
    [
        new("width", 256, 8, 10_000, "columns of the picture"),
        new("height", 192, 8, 10_000, "lines of the picture"),
        new("rays", 16, 1, 100_000, "rays through a pixel"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int width = parameters.Int("width"), height = parameters.Int("height");
        Scene scene = new(parameters.Seed, width, height, parameters.Int("rays"));
        return RunLanes(parameters.Threads, (long)width * height, lane => new Lane(scene, lane, width * height / LaneCount));
    }

    private sealed record Vector(double X, double Y, double Z)
    {
        public static readonly Vector Zero = new(0, 0, 0);

        public static Vector operator +(Vector a, Vector b) => new(a.X + b.X, a.Y + b.Y, a.Z + b.Z);

        public static Vector operator -(Vector a, Vector b) => new(a.X - b.X, a.Y - b.Y, a.Z - b.Z);

        public static Vector operator *(Vector a, double by) => new(a.X * by, a.Y * by, a.Z * by);

        public static Vector operator *(Vector a, Vector b) => new(a.X * b.X, a.Y * b.Y, a.Z * b.Z);

        public double Dot(Vector b) => X * b.X + Y * b.Y + Z * b.Z;

        public Vector Unit() => this * (1 / Math.Sqrt(Dot(this)));

        // Within the unit ball; by trial, so that no function is needed that machines compute differently.
        public static Vector InBall(ref Prng prng)
        {
            while (true)
            {
                Vector v = new(2 * prng.Unit() - 1, 2 * prng.Unit() - 1, 2 * prng.Unit() - 1);
                double square = v.Dot(v);
                if (square is < 1 and > 1e-9) return v;
            }
        }
    }

    private sealed record Ray(Vector From, Vector Direction)
    {
        public Vector At(double distance) => From + Direction * distance;
    }

    private sealed record Sphere(Vector Middle, double Radius, Vector Colour, Vector Light, bool Mirror)
    {
        public Hit? Meet(Ray ray)
        {
            Vector offset = ray.From - Middle;
            double b = offset.Dot(ray.Direction), c = offset.Dot(offset) - Radius * Radius, root = b * b - c;
            if (root <= 0) return null;
            double near = -b - Math.Sqrt(root), distance = near > 1e-6 ? near : -b + Math.Sqrt(root);
            return distance > 1e-6 ? new Hit(this, distance, ray.At(distance)) : null;
        }
    }

    private sealed record Hit(Sphere Sphere, double Distance, Vector Point)
    {
        public Vector Normal => (Point - Sphere.Middle) * (1 / Sphere.Radius);
    }

    private sealed class Scene
    {
        private readonly ulong seed;
        private readonly int width, height, rays;
        private readonly Sphere[] spheres;

        public Scene(ulong seed, int width, int height, int rays)
        {
            this.seed = seed;
            this.width = width;
            this.height = height;
            this.rays = rays;
            Prng prng = new(seed, 1);
            spheres = new Sphere[12];
            spheres[0] = new Sphere(new Vector(0, -1000, 0), 1000, new Vector(0.7, 0.7, 0.7), Vector.Zero, false);
            spheres[1] = new Sphere(new Vector(-4, 9, -2), 3, Vector.Zero, new Vector(6, 5.5, 5), false);
            for (int i = 2; i < spheres.Length; i++)
            {
                double radius = 0.4 + prng.Unit();
                Vector colour = new(0.2 + 0.75 * prng.Unit(), 0.2 + 0.75 * prng.Unit(), 0.2 + 0.75 * prng.Unit());
                spheres[i] = new Sphere(new Vector(8 * prng.Unit() - 4, radius, 6 * prng.Unit() - 3), radius, colour, Vector.Zero, prng.OneIn(3));
            }
        }

        public Vector Pixel(int number)
        {
            Prng prng = new(seed, 2 + (ulong)number);
            Vector sum = Vector.Zero, eye = new(0, 2, -9);
            for (int i = 0; i < rays; i++)
            {
                double x = (number % width + prng.Unit()) / width * 2 - 1, y = 1 - (number / width + prng.Unit()) / height * 2;
                sum += Trace(new Ray(eye, new Vector(x, y * height / width, 1.4).Unit()), Bounces, ref prng);
            }
            return sum * (1.0 / rays);
        }

        private Vector Trace(Ray ray, int bounces, ref Prng prng)
        {
            Hit? nearest = null;
            foreach (Sphere sphere in spheres)
                if (sphere.Meet(ray) is { } hit && (nearest == null || hit.Distance < nearest.Distance)) nearest = hit;
            if (nearest == null) return new Vector(0.5, 0.7, 1) * (0.3 + 0.3 * ray.Direction.Y);
            Sphere met = nearest.Sphere;
            if (bounces == 0) return met.Light;
            Vector normal = nearest.Normal;
            Vector direction = met.Mirror
                ? ray.Direction - normal * (2 * ray.Direction.Dot(normal))
                : normal * 1.000001 + Vector.InBall(ref prng).Unit();
            return met.Light + met.Colour * Trace(new Ray(nearest.Point, direction.Unit()), bounces - 1, ref prng);
        }
    }

    private sealed class Lane(Scene scene, int lane, int count) : ILane
    {
        private readonly Vector[] pixels = new Vector[count];
        private int done;

        public void Step()
        {
            Vector pixel = scene.Pixel(done * LaneCount + lane);
            Check.That(double.IsFinite(pixel.X + pixel.Y + pixel.Z) && pixel.X <= 16 && pixel.Y <= 16 && pixel.Z <= 16, "a pixel is brighter than any light");
            pixels[done++] = pixel;
        }

        public ulong Verify()
        {
            Digest d = default;
            for (int i = 0; i < done; i++)
            {
                Vector pixel = pixels[i];
                if (i % VerifiedOf == 0) Check.That(scene.Pixel(i * LaneCount + lane) == pixel, "a pixel traced again differs");
                d.Add(pixel.X);
                d.Add(pixel.Y);
                d.Add(pixel.Z);
            }
            return d.Value;
        }
    }
}
